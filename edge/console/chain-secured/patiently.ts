import type { Consent } from './explanation.ts'

/**
 * A wallet's answer, or an end to waiting for it: some never answer.
 * @param what it was asked to do, as in `show its address`
 * @throws {Error} without a code where a person has had enough, so that whoever asked leaves open what becomes of it
 */
export async function patiently<Answer>(
  consent: Pick<Consent, 'stopped'>,
  what: string,
  question: Promise<Answer>,
): Promise<Answer> {
  const settled = question.then(nothing, nothing)
  const given = await Promise.race([
    question.then((answer) => ({ answer })),
    consent.stopped(what, settled),
  ])
  if (given) return given.answer
  throw new Error('the wallet was waited for no longer')
}

const nothing = () => undefined
