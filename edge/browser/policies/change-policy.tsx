import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { Policy } from '../../../shared/policies/policy.ts'
import { CodeEditor } from '../components/code-editor.tsx'
import { TwoStepButton } from '../components/two-step-button.tsx'
import { ChangeWords, effectWords } from './change-words.tsx'
import { describeChange } from './describe-change.ts'
import { formatDocument } from './format-document.ts'
import { parseDraft } from './parse-draft.ts'
import { DraftCheck } from './policy-words.tsx'

type Props = {
  /** Prefix of the IDs of the fields. */
  prefix: string
  /** The policy that holds. */
  policy: Policy
  pending: Policy | undefined
  /** Called with the draft, or with undefined if it is invalid or equals the policy. */
  onDraft: (draft: Policy | undefined) => void
  onConfirm: (changed: Policy) => void
}

export const ChangePolicy: FC<Props> = ({ prefix, policy, pending, onDraft, onConfirm }) => {
  const [text, setText] = useState(() => formatDocument(policy.document))
  const draft = parseDraft(text)
  const change = draft.policy && describeChange(policy, draft.policy)
  const edit = (changed: string) => {
    setText(changed)
    const { policy: parsed } = parseDraft(changed)
    onDraft(parsed && parsed.hash !== policy.hash ? parsed : undefined)
  }
  return (
    <>
      <CodeEditor
        name={`${prefix}-document`}
        label="Policy document"
        language="json"
        text={text}
        onChange={edit}
        onMounted={() => {}}
      />
      {!draft.policy ? (
        <DraftCheck draft={draft} />
      ) : !change ? (
        <p role="status" class="draft-state">
          Edit the document to change the policy.
        </p>
      ) : (
        <>
          <p role="status" class="draft-state">
            {effectWords(change)}
          </p>
          <ChangeWords change={change} />
          {change.becomesImmutable && (
            <p class="warn">Afterwards, the policy can never be changed again.</p>
          )}
          <TwoStepButton
            text="Change policy"
            label="Change policy"
            consequence={
              <>
                {effectWords(change)} {pending && 'It replaces the pending change. '}
                The hash of the new policy is <code>{draft.policy.hash}</code>.
              </>
            }
            confirm="Confirm change"
            onConfirm={() => onConfirm(draft.policy)}
          />
        </>
      )}
    </>
  )
}
