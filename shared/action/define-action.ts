import type { JsonCompatible } from './json-compatible.ts'

/** The function that a run calls with its params. What it returns is the run's response. */
export type Action<Params, Result> = (params: Params) => Result | Promise<Result>

type RequireJson<Result> = [Result] extends [JsonCompatible<Result>]
  ? unknown
  : 'the result contains a BigInt or a symbol, which JSON cannot represent'

/**
 * Defines an action, as the default export of its module. Returns `main` unchanged.
 *
 * The params are not validated: anyone with a usage key that permits the action can pass others. Parse what the action
 * relies on, for example with zod.
 * @example
 * export default defineAction(async ({ event }: WebhookParams<{ amount: string }>) => {
 *   return { wei: ethers.utils.parseEther(event.amount).toString() }
 * })
 */
export function defineAction<Params = Record<string, unknown>, Result = unknown>(
  main: Action<Params, Result> & RequireJson<Result>,
): Action<Params, Result> {
  return main
}
