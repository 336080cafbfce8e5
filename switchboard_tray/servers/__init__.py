"""Other people's servers: started when needed, shared by all clients, watched, ended with their whole process tree.

Reading order: `lifecycle` (what to do when, pure), `environment` (command, PATH, variables), `process` (one process
tree), `stderr` (its log), `stdio` (many calls over one pair of pipes), `opening` and `keeper` (one process, kept
alive), `following` (one call), `lists`, `worker` (what is asked of one server), `pool` (name -> worker).
"""
