/* The performance object. Its times are relative to the start of the run. */
export default function clock(host, base, { webidl }) {
  const { define, floor, now: wallClock } = base
  /*
   * Resolution of performance.now, in steps per millisecond. A tenth of a millisecond is sufficient to measure
   * requests.
   */
  const STEPS_PER_MS = 10
  let beganAt = 0
  let timeOrigin = 0

  class Performance {
    #own = true

    constructor(key = null) {
      if (key !== Performance) throw new base.TypeError('Illegal constructor')
    }

    get timeOrigin() {
      return this.#own && timeOrigin
    }

    now() {
      return this.#own && floor((host.monotonicMs() - beganAt) * STEPS_PER_MS) / STEPS_PER_MS
    }

    toJSON() {
      return this.#own && { timeOrigin }
    }
  }

  const performance = new Performance(Performance)
  webidl.expose(Performance)
  define(globalThis, 'performance', { value: performance, writable: true, configurable: true })

  return {
    start() {
      beganAt = host.monotonicMs()
      timeOrigin = wallClock()
    },
  }
}
