import { useEffect, useRef, useState } from 'preact/hooks'
import { CodeEditor, type MountedEditor } from '../../components/code-editor.tsx'
import { Select } from '../../components/form-fields.tsx'
import { type Draft, storeDraft, storedDraft } from '../actions/draft.ts'
import { PermissionCard, useCid } from '../actions/permission-card.tsx'
import { RegisteredActions } from '../actions/registered-actions.tsx'
import { RunCard } from '../actions/run-card.tsx'
import { PLACEHOLDER_WALLET, TEMPLATES } from '../actions/templates.ts'
import { hasFullAccess } from '../connection.ts'
import { useLoaded } from '../loaded.tsx'
import type { View } from '../view.ts'

const FIRST_TEMPLATE = TEMPLATES[0]!

const differsFromTemplate = ({
  source = FIRST_TEMPLATE.source,
  params = FIRST_TEMPLATE.params,
}: Partial<Draft>) => source !== FIRST_TEMPLATE.source || params !== FIRST_TEMPLATE.params

export const ActionsView: View = ({ connection, origin, perform }) => {
  const [draft, setDraft] = useState<Draft>(() => storedDraft() ?? FIRST_TEMPLATE)
  // True if the person has edited the draft. A ref is used because it changes before the next render, so that recently
  // typed text is never replaced.
  const isWritten = useRef(differsFromTemplate(draft))
  const editor = useRef<MountedEditor | null>(null)
  const isWhole = hasFullAccess(connection)
  const actions = useLoaded(async () =>
    isWhole ? await connection.client.listActions().all() : [],
  )
  const wallets = useLoaded(async () =>
    isWhole ? await connection.client.listWallets().all() : [],
  )
  const cid = useCid(draft.source)

  const change = (changed: Partial<Draft>) => {
    if (differsFromTemplate(changed)) isWritten.current = true
    setDraft((before) => {
      const { source, params } = { ...before, ...changed }
      storeDraft({ source, params })
      return { source, params }
    })
  }
  const startFrom = (name: string) => {
    const template = TEMPLATES.find((known) => known.name === name)
    if (!template) return
    const wallet = wallets.value?.[0]?.wallet_address ?? PLACEHOLDER_WALLET
    editor.current?.setText(template.source.replaceAll(PLACEHOLDER_WALLET, wallet))
    change({ params: template.params.replaceAll(PLACEHOLDER_WALLET, wallet) })
  }
  useEffect(() => {
    if (wallets.state === 'loaded' && !isWritten.current) startFrom(FIRST_TEMPLATE.name)
  }, [wallets.state])
  const goTo = (line: number, column: number) => {
    editor.current?.mark([{ line, text: 'Line in the stack trace' }])
    editor.current?.goTo(line, column)
  }
  return (
    <div class="action-view">
      <Select
        name="template"
        label="Start from"
        value=""
        choices={[['', 'Current source'], ...TEMPLATES.map(({ name }) => [name, name] as const)]}
        onChange={(event: Event) => startFrom((event.target as HTMLSelectElement).value)}
      />
      <CodeEditor
        name="action-source"
        label="Source"
        language="javascript"
        text={draft.source}
        onChange={(source) => change({ source })}
        onMounted={(mounted) => {
          editor.current = mounted
        }}
      />
      <p class="note">
        Source and params are stored in this tab until it is closed. Do not put secrets into them.
      </p>
      {wallets.value?.length === 0 && draft.params.includes(PLACEHOLDER_WALLET) && (
        <p class="warn">
          The zero address is a placeholder, because this account has no wallet yet.{' '}
          <a href="#wallets">Create one</a>, and a group that permits this action to use it.
        </p>
      )}
      <PermissionCard {...{ connection, cid, perform }} onChange={() => void actions.reload()} />
      <RunCard
        {...{ connection, origin, goTo }}
        source={draft.source}
        params={draft.params}
        onParams={(params) => change({ params })}
      />
      {isWhole && cid !== undefined && (
        <RegisteredActions {...{ connection, perform, cid, actions }} />
      )}
    </div>
  )
}
