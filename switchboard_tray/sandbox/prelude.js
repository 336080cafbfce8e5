// The bridge between a script and the worker. It keeps an honest script working and its errors readable; what a
// script may do is decided outside, again. Everything it uses is kept before the script runs, and every value that
// crosses is JSON text: ASCII, so that no engine stumbles over it.
(function () {
  "use strict";
  const G = globalThis;
  const { apply, ownKeys } = Reflect;
  const stringify = JSON.stringify, parse = JSON.parse;
  const create = Object.create, define = Object.defineProperty, freeze = Object.freeze, fromEntries = Object.fromEntries;
  const Err = Error, TypeErr = TypeError, P = Promise, MapC = Map, SetC = Set, ProxyC = Proxy, Str = String, Big = BigInt;
  const arrayFrom = Array.from;
  const mapGet = Map.prototype.get, mapSet = Map.prototype.set, mapDelete = Map.prototype.delete;
  const then = Promise.prototype.then;
  const slice = String.prototype.slice, startsWith = String.prototype.startsWith;
  const CALLS = __CALLS__, RESULT = __RESULT__, LOG = __LOG__, ARGUMENTS = __ARGUMENTS__, MISSES = 50, MARK = "__MARK__";
  const waiting = new MapC();
  let first = null, last = null;  // a linked list: no setter on Array.prototype is in the way
  let nextId = 1, made = 0, isOver = false, done = null, logs = "", logged = 0, isLogCut = false;
  let missed = "", misses = 0;  // tools that were asked for and are not there

  // Without a prototype, and without what a script put on that of `fields`.
  const record = (fields) => {
    const made = create(null), keys = ownKeys(fields);
    for (let i = 0; i < keys.length; i++) made[keys[i]] = fields[keys[i]];
    return made;
  };
  const guarded = (object, key) => { try { return object[key]; } catch (e) { return undefined; } };

  function describe(thrown) {
    let name, message, stack = "";
    if ((typeof thrown === "object" && thrown !== null) || typeof thrown === "function") {
      name = guarded(thrown, "name"); message = guarded(thrown, "message"); stack = guarded(thrown, "stack");
      if (typeof name !== "string" || name === "") name = "Error";
      if (typeof message !== "string") {
        try { message = stringify(thrown, replace); } catch (e) { message = undefined; }
        if (typeof message !== "string") message = "an object was thrown that is no Error";
      }
      if (typeof stack !== "string") stack = "";
    } else {
      name = "Thrown";
      try { message = typeof thrown === "symbol" ? "a symbol" : Str(thrown); } catch (e) { message = "?"; }
    }
    return record({
      name: apply(slice, name, [0, 100]), message: apply(slice, message, [0, 4000]), stack: apply(slice, stack, [0, 8000]),
      isNull: thrown === null,
    });
  }

  // JSON.stringify asks toJSON before it asks this, so the value itself is read from its holder.
  function replace(key, value) {
    const own = this[key];
    if (typeof own === "bigint") return MARK + Str(own);
    if (typeof own === "object" && own !== null) {
      if (own instanceof MapC) return fromEntries(own);
      if (own instanceof SetC) return arrayFrom(own);
      if (own instanceof Err) { const said = describe(own); return record({ name: said.name, message: said.message }); }
    }
    return value;
  }

  function revive(key, value) {
    return typeof value === "string" && apply(startsWith, value, [MARK]) ? Big(apply(slice, value, [MARK.length])) : value;
  }

  function ask(server, method, args) {
    if (server !== "catalog" && ++made > CALLS) {
      isOver = true;
      return new P(() => {});  // never settled: the script waits, the run is ended, and nothing can catch it
    }
    return new P((resolve, reject) => {
      let text = args === undefined || args === null ? "{}" : stringify(args, replace);
      if (typeof text !== "string") text = "null";
      if (text.length > ARGUMENTS) throw new Err("the arguments of " + server + "." + method + " are larger than 1 MB");
      const id = nextId++;
      apply(mapSet, waiting, [id, record({ resolve, reject })]);
      const call = record({ id, server, method, text, next: null });
      if (last) last.next = call; else first = call;
      last = call;
    });
  }

  function shown(value) {
    if (typeof value === "string") return value;
    try {
      if (value instanceof Err) { const said = describe(value); return said.name + ": " + said.message; }
      const text = typeof value === "object" && value !== null ? stringify(value, replace) : undefined;
      return typeof text === "string" ? text : Str(value);
    } catch (e) { return "[cannot be shown]"; }
  }

  function logger(level) {
    return function () {
      if (logged >= LOG) { isLogCut = true; return; }
      let line = level === "log" ? "" : "[" + level + "] ";
      for (let i = 0; i < arguments.length && line.length <= LOG; i++) line += (i ? " " : "") + shown(arguments[i]);
      if (logged + line.length + 1 > LOG) { line = apply(slice, line, [0, LOG - logged - 1]); isLogCut = true; }
      logged += line.length + 1;
      logs += line + "\n";
    };
  }

  function fixed(name, value) {
    define(G, name, { value, enumerable: false, writable: false, configurable: false });
  }

  const levels = ["log", "info", "warn", "error", "debug"];
  const console = create(null);
  for (const level of levels) console[level] = freeze(logger(level));
  console.trace = console.log;
  fixed("console", freeze(console));
  // The stack as text, whatever a script puts there: a call site would hand out our own functions.
  try { define(Err, "prepareStackTrace", { value: undefined, writable: false, configurable: false }); } catch (e) { /* none */ }
  define(Big.prototype, "toJSON", { value: function () { return Str(this); }, writable: true, configurable: true });

  const QUIET = record({
    then: 1, toJSON: 1, toString: 1, valueOf: 1, constructor: 1, prototype: 1, __proto__: 1, inspect: 1, length: 1, name: 1,
  });
  function serverObject(server, methods) {
    const target = create(null);
    for (const method of methods) target[method] = freeze((args) => ask(server, method, args));
    freeze(target);
    return new ProxyC(target, freeze(record({
      get(object, key) {
        const method = object[key];
        if (method !== undefined || typeof key === "symbol" || QUIET[key]) return method;
        if (misses < MISSES) missed += (misses++ ? "," : "") + "[" + stringify(server) + "," + stringify(apply(slice, key, [0, 200])) + "]";
        throw new TypeErr(server + " has no tool " + apply(slice, key, [0, 200]));
      },
    })));
  }

  async function drive(start) {
    try {
      let value = await start();
      if (typeof value === "function") value = await value();
      done = finished(value);
    } catch (thrown) { done = failed(thrown); }
  }
  function failed(thrown) { return record({ ok: false, error: describe(thrown) }); }
  function finished(value) {
    let text;
    try { text = stringify(value, replace); } catch (thrown) { return failed(thrown); }
    const returned = typeof text === "string" ? "" : typeof value;
    if (returned) text = "null";
    const isCut = text.length > RESULT;
    return record({ ok: true, returned, chars: isCut ? text.length : 0, value: isCut ? apply(slice, text, [0, RESULT]) : text });
  }

  return function host(what, a, b, c) {
    switch (what) {
      case "servers": {
        const servers = parse(a);
        for (const server of ownKeys(servers)) fixed(server, serverObject(server, servers[server]));
        const catalog = create(null);
        catalog.search = freeze((query, limit) => ask("catalog", "search", record({ query, limit })));
        catalog.describe = freeze((names) => ask("catalog", "describe", record({ names })));
        fixed("catalog", freeze(catalog));
        return 0;
      }
      case "start": {
        // Bound before the script runs; an old engine tells an interruption here alone.
        const run = (async () => { await undefined; await drive(a); })();
        apply(then, run, [undefined, (thrown) => { if (done === null) done = failed(thrown); }]);
        return 0;
      }
      case "drain": {
        let text = "[", comma = "";
        for (let call = first; call; call = call.next) {
          text += comma + "[" + call.id + "," + stringify(call.server) + "," + stringify(call.method) + "," + stringify(call.text) + "]";
          comma = ",";
        }
        first = last = null;
        const said = logs; logs = "";
        const all = '{"calls":' + text + '],"logs":' + stringify(said) + ',"isLogCut":' + isLogCut + ',"isOver":' + isOver
          + ',"missed":[' + missed + '],"done":' + (done === null ? "null" : stringify(done)) + "}";
        return apply(slice, all, [0]);  // one piece: the binding takes no rope
      }
      case "settle": {
        const slot = apply(mapGet, waiting, [a]);
        if (!slot) return 0;
        apply(mapDelete, waiting, [a]);
        if (b === 2) slot.resolve(parse(c, revive));
        else if (b === 1) slot.resolve(parse(c));
        else { const error = new Err(parse(c)); slot.reject(error); }
        return 1;
      }
    }
    return -1;
  };
})()
