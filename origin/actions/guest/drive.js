/* Calls the action's main and reports how it ended. */
export default function drive(host, base, { clock, errors, result }) {
  const { parse } = base
  let params

  return {
    /* Before the action's code, which could otherwise leave no memory for it. */
    receive(json) {
      clock.start()
      params = parse(json)
    },
    async begin() {
      try {
        /* A free name, not globalThis.main: it finds `const main = ...` as well. */
        if (typeof main !== 'function') {
          throw errors.coded('no_main', 'the action defines no function main(params)')
        }
        const value = await main(params)
        host.finish(result.toJson(value))
      } catch (error) {
        errors.uncaught(error)
      }
    },
  }
}
