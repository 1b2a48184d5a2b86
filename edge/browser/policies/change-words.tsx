import type { FC } from 'hono/jsx'
import { durationWords } from '../../../shared/policies/describe-policy.ts'
import { UserText } from '../components/user-text.tsx'
import type { PolicyChange } from './describe-change.ts'

const TEXT_MAX = 4_000

/** The difference between two policies in words. */
export const ChangeWords: FC<{ change: PolicyChange }> = ({ change: { removed, added } }) =>
  removed.length + added.length === 0 ? (
    <p>The sentences are the same. Only the order or the name of the policy changes.</p>
  ) : (
    <ul class="difference">
      {removed.map((sentence) => (
        <li key={`removed ${sentence}`} class="removed">
          <strong>Removed</strong>{' '}
          <del>
            <UserText text={sentence} max={TEXT_MAX} />
          </del>
        </li>
      ))}
      {added.map((sentence) => (
        <li key={`added ${sentence}`} class="added">
          <strong>Added</strong>{' '}
          <ins>
            <UserText text={sentence} max={TEXT_MAX} />
          </ins>
        </li>
      ))}
    </ul>
  )

export function effectWords({ isTightening, delayS }: PolicyChange): string {
  if (isTightening) return 'The change takes effect at once, because it only tightens the policy.'
  if (delayS === 0)
    return 'The change takes effect at once. It may loosen the policy, which sets no delay for that.'
  return `The change takes effect after ${durationWords(delayS)}, because it may loosen the policy. Until then, the current policy holds.`
}
