import { useRef, useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import { CodeEditor, type MountedEditor } from '../components/code-editor.tsx'
import { formatDocument } from './format-document.ts'
import { parseDraft } from './parse-draft.ts'
import { DraftCheck } from './policy-words.tsx'
import { simulateDraft } from './simulate-draft.ts'
import { Simulator } from './simulator.tsx'
import { TemplateForm } from './template-form.tsx'

export type PolicyDraftProps = {
  /** Called with each valid document, and with undefined while the draft is invalid. */
  onChange: (document: object | undefined) => void
}

const PREFIX = 'new-policy'

/** Form for the policy of a new wallet: a template, and an editor for the document that it generates. */
export const PolicyDraft: FC<PolicyDraftProps> = ({ onChange }) => {
  /** Undefined until a template has generated a document. */
  const [text, setText] = useState<string | undefined>(undefined)
  const editor = useRef<MountedEditor | null>(null)
  const change = (changed: string) => {
    setText(changed)
    const { policy } = parseDraft(changed)
    onChange(policy && (JSON.parse(changed) as object))
  }
  const generate = (document: object) => {
    const generated = formatDocument(document)
    editor.current?.setText(generated)
    change(generated)
  }
  const draft = text === undefined ? undefined : parseDraft(text)
  return (
    <div class="policy-draft">
      <TemplateForm
        prefix={PREFIX}
        submit={text === undefined ? 'Write policy' : 'Replace policy'}
        onGenerated={generate}
      />
      {text !== undefined && (
        <>
          <CodeEditor
            name={`${PREFIX}-document`}
            label="Policy document"
            language="json"
            text={text}
            onChange={change}
            onMounted={(mounted) => {
              editor.current = mounted
            }}
          />
          <DraftCheck draft={draft!} />
          {draft!.policy && (
            <details>
              <summary>Simulate a signature</summary>
              <Simulator
                prefix={PREFIX}
                choices={[{ title: 'This draft', policy: draft!.policy }]}
                simulate={simulateDraft}
              />
            </details>
          )}
        </>
      )}
    </div>
  )
}
