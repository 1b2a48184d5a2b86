/* setTimeout and clearTimeout. The callbacks stay in here; the host knows numbers only. */
export default function timers(host, base, { errors }) {
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

  const setTimeout = (callback, delay, ...args) => {
    if (typeof callback !== 'function') throw new TypeError('setTimeout: expected a function')
    if (live >= LIVE_MAX) throw new RangeError(`setTimeout: at most ${LIVE_MAX} timers at once`)
    const id = ++last
    const ms = Number(delay)
    mapSet(waiting, id, { callback, args })
    live++
    host.setTimer(id, ms > 0 ? ms : 0)
    return id
  }

  const clearTimeout = (id) => {
    if (take(id) !== undefined) host.clearTimer(id)
  }

  define(globalThis, 'setTimeout', { value: setTimeout, writable: true, configurable: true })
  define(globalThis, 'clearTimeout', { value: clearTimeout, writable: true, configurable: true })

  return {
    fire(id) {
      const entry = take(id)
      if (entry === undefined) return
      try {
        apply(entry.callback, undefined, entry.args)
      } catch (error) {
        errors.uncaught(error)
      }
    },
  }
}
