/* setTimeout, setInterval and queueMicrotask. The guest stores the callbacks; the host knows timers only by number. */
export default function timers(host, base, { errors, webidl }) {
  const { apply, Map, Number, RangeError, TypeError, mapGet, mapSet, mapDelete, define } = base
  const LIVE_MAX = 1000
  const waiting = new Map()
  let live = 0
  let last = 0

  const take = (id) => {
    const entry = mapGet(waiting, id)
    if (entry === undefined) return undefined
    mapDelete(waiting, id)
    live--
    return entry
  }

  const start = (what, callback, delay, args, repeats) => {
    if (typeof callback !== 'function') throw new TypeError(what + ': expected a function')
    const ms = Number(delay)
    if (live >= LIVE_MAX) throw new RangeError(what + ': at most ' + LIVE_MAX + ' timers at once')
    const id = ++last
    const entry = { callback, args, ms: ms > 0 ? ms : 0, repeats }
    mapSet(waiting, id, entry)
    live++
    host.setTimer(id, entry.ms)
    return id
  }

  const clear = (id) => {
    const number = typeof id === 'number' ? id : Number(id)
    if (take(number) !== undefined) host.clearTimer(number)
  }

  /* If the callback throws, the run fails, as with any uncaught error. */
  const guarded = (callback, args) => {
    try {
      apply(callback, undefined, args)
    } catch (error) {
      errors.uncaught(error)
    }
  }

  const soon = async (callback) => {
    // oxlint-disable-next-line typescript/await-thenable -- queues a microtask without using Promise.prototype
    await undefined
    guarded(callback, [])
  }

  const globals = {
    setTimeout(callback, delay = 0, ...args) {
      return start('setTimeout', callback, delay, args, false)
    },
    setInterval(callback, delay = 0, ...args) {
      return start('setInterval', callback, delay, args, true)
    },
    clearTimeout(id = 0) {
      clear(id)
    },
    clearInterval(id = 0) {
      clear(id)
    },
    queueMicrotask(callback) {
      webidl.required(arguments.length, 1, 'queueMicrotask')
      if (typeof callback !== 'function') throw new TypeError('queueMicrotask: expected a function')
      void soon(callback)
    },
  }
  for (const [name, value] of Object.entries(globals)) {
    define(globalThis, name, { value, writable: true, configurable: true })
  }

  return {
    guarded,
    after: (ms, callback) => start('setTimeout', callback, ms, [], false),
    fire(id) {
      const entry = mapGet(waiting, id)
      if (entry === undefined) return
      if (entry.repeats) host.setTimer(id, entry.ms)
      else take(id)
      guarded(entry.callback, entry.args)
    },
  }
}
