/* Calls the action's main and reports the outcome. */
export default function drive(host, base, { clock, errors, result }) {
  const { parse } = base
  let params

  return {
    /* Called before the action's code runs, which could otherwise leave no memory for the params. */
    receive(json) {
      clock.start()
      params = parse(json)
    },
    async begin() {
      try {
        /* A free name instead of globalThis.main, because it also finds `const main = ...`. */
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
