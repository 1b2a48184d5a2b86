import type { FC } from 'hono/jsx'
import { describePolicy } from '../../../shared/policies/describe-policy.ts'
import type { Policy } from '../../../shared/policies/policy.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { UserText } from '../components/user-text.tsx'
import { definitionWords } from './definition-words.ts'
import type { ParsedDraft } from './parse-draft.ts'
import { sumRows, withEmptySums } from './sum-rows.ts'

const TEXT_MAX = 4_000

/** Rules in words, as `svc wallet policy check` prints them, with the lists and tokens that they name. */
export const PolicyWords: FC<{ policy: Policy }> = ({ policy: { document } }) => {
  const { rules, general, warnings } = describePolicy(document)
  return (
    <div class="policy-words">
      {warnings.map((warning) => (
        <p class="warn" key={warning}>
          <UserText text={warning} max={TEXT_MAX} />
        </p>
      ))}
      <ol>
        {rules.map((rule) => (
          <li key={rule}>
            <Sentence text={`${rule}.`} />
          </li>
        ))}
      </ol>
      <ul>
        {definitionWords(document).map((definition) => (
          <li key={definition}>
            <Sentence text={definition} />
          </li>
        ))}
      </ul>
      {general.map((fact) => (
        <p class="note" key={fact}>
          {fact}
        </p>
      ))}
    </div>
  )
}

/** Limits in whole tokens, so that a mistake in the decimals is easy to see. */
const Limits: FC<{ policy: Policy }> = ({ policy: { document } }) => (
  <ul>
    {sumRows(document, withEmptySums(document, [])).map(({ key, name, limit, counted }) => (
      <li key={key}>
        <strong>{name}</strong>: {limit} ({counted}).
      </li>
    ))}
  </ul>
)

/** A sentence whose name, up to the colon, is emphasized. */
const Sentence: FC<{ text: string }> = ({ text }) => {
  const end = text.indexOf(': ')
  return (
    <>
      <strong>{text.slice(0, end)}</strong>
      <UserText text={text.slice(end)} max={TEXT_MAX} />
    </>
  )
}

const PROBLEMS_SHOWN = 5

/** Validation result of a draft, announced to screen readers. */
export const DraftCheck: FC<{ draft: ParsedDraft }> = ({ draft: { policy, problems } }) => (
  <>
    <p role="status" class="draft-state">
      {policy ? 'The policy is valid.' : `${problems.length === 1 ? 'Problem' : 'Problems'}:`}
    </p>
    {policy ? (
      <>
        <p class="policy-hash">
          Hash <code>{policy.hash}</code> <CopyButton text={policy.hash} of="the hash" />
        </p>
        <PolicyWords policy={policy} />
        <Limits policy={policy} />
      </>
    ) : (
      <ul class="problems">
        {problems.slice(0, PROBLEMS_SHOWN).map(({ path, problem }) => (
          <li key={path + problem}>
            <code>{path}</code>: <UserText text={problem} />
          </li>
        ))}
        {problems.length > PROBLEMS_SHOWN && (
          <li key="more">And {problems.length - PROBLEMS_SHOWN} more.</li>
        )}
      </ul>
    )}
  </>
)
