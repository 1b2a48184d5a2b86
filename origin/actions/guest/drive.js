/* Calls the action's main function and reports its result. */
export default function drive(host, base, { clock, errors, result }) {
  const { parse } = base
  let params

  return {
    /*
     * Parses the params. Called before the action's code is evaluated, which could otherwise leave no memory for them.
     */
    receive(json) {
      clock.start()
      params = parse(json)
    },
    async begin() {
      try {
        /* Uses `main` instead of `globalThis.main`, because the action may define it by `const main = ...`. */
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
