import type { Consent } from './explanation.ts'

/**
 * Waits until the wallet answers or the person stops waiting, because some wallets never answer.
 * @param what name of the request, such as `show its address`
 * @throws {Error} if the person stops waiting; the error has no code, so the caller treats the outcome as unknown
 */
export async function waitUnlessStopped<Answer>(
  consent: Pick<Consent, 'untilStopped'>,
  what: string,
  question: Promise<Answer>,
): Promise<Answer> {
  const settled = question.then(
    () => {},
    () => {},
  )
  const result = await Promise.race([
    question.then((answer) => ({ answer })),
    consent.untilStopped(what, settled),
  ])
  if (result) return result.answer
  throw new Error('stopped waiting for the wallet')
}
