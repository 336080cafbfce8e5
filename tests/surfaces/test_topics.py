"""What a server's tools deal with, read off their names."""

from switchboard_tray.surfaces.topics import find_topics


def test_things_that_are_named_most_come_first() -> None:
    names = ["create_issue", "listIssues", "get_merge_request_notes", "merge_merge_request", "issue_write", "login"]

    assert find_topics("gitlab", names) == ["issue", "merge request", "login"]


def test_words_of_the_server_acts_and_numbers_say_nothing() -> None:
    assert find_topics("google-drive", ["drive_get_file", "google_search", "list_2", "delete"]) == ["file"]


def test_request_that_is_pulled_is_a_thing_and_one_that_is_not_is_none() -> None:
    assert find_topics("x", ["pull_request_read", "pull_image"]) == ["pull request", "image"]
