/** Registration only gives an action a name; groups grant the permissions. */
import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { RegisteredAction } from '../../../../shared/client/core/account.ts'
import { DESCRIPTION_MAX_CHARACTERS, NAME_MAX_CHARACTERS } from '../../../../shared/limits.ts'
import { ShortenedId } from '../../components/copy-button.tsx'
import { Field } from '../../components/form-fields.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { Connection } from '../connection.ts'
import { Loaded, type LoadState } from '../loaded.tsx'
import { performAndReload } from '../perform.ts'
import { readSubmittedForm } from '../submitted-form.ts'
import type { Perform } from '../view.ts'

type RegisteredActionsProps = {
  connection: Connection
  perform: Perform
  cid: string
  actions: LoadState<RegisteredAction[]>
}

export const RegisteredActions: FC<RegisteredActionsProps> = (props) => (
  <section aria-labelledby="registered-heading">
    <h3 id="registered-heading">Registered actions</h3>
    <p class="note">A name for a CID. Registering an action does not permit it; only groups do.</p>
    <Loaded of={props.actions} what="registered actions">
      {(all) => (
        <>
          {all.length === 0 ? (
            <p>No registered actions yet.</p>
          ) : (
            <ul class="rows">
              {all.map((action) => (
                <Row key={action.cid_hash} action={action} {...props} />
              ))}
            </ul>
          )}
          {!all.some(({ action_ipfs_cid }) => action_ipfs_cid === props.cid) && (
            <Register {...props} />
          )}
        </>
      )}
    </Loaded>
  </section>
)

type Texts = { name: string; description: string }

const Register: FC<RegisteredActionsProps> = ({ connection, perform, cid, actions }) => {
  const change = performAndReload(perform, actions.reload)
  const add = (texts: Texts) =>
    change('Register this action', () =>
      connection.client.addAction({ action_ipfs_cid: cid, ...texts }),
    )
  return (
    <details class="card">
      <summary>Register the source above</summary>
      <TextsForm
        id="register"
        texts={{ name: '', description: '' }}
        submit="Register"
        onSubmit={add}
      />
    </details>
  )
}

const Row: FC<RegisteredActionsProps & { action: RegisteredAction }> = ({
  action,
  connection,
  perform,
  actions,
}) => {
  const { cid_hash: hashed_cid, action_ipfs_cid, name, description, groups } = action
  const [doing, setDoing] = useState<'' | 'rename' | 'delete'>('')
  const change = performAndReload(perform, () => {
    setDoing('')
    return actions.reload()
  })
  const { client } = connection
  const shown = name === '' ? 'Unnamed action' : name
  return (
    <li>
      <div>
        <h4>
          <UserText text={shown} />
        </h4>
        {description !== '' && (
          <p>
            <UserText text={description} max={1024} />
          </p>
        )}
        <p>
          {action_ipfs_cid === null ? 'Hash' : 'CID'}{' '}
          <ShortenedId text={action_ipfs_cid ?? hashed_cid} of={`the CID of ${shown}`} />
        </p>
        <p class="note">
          {groups.length === 0 ? 'Not in any group' : `In group ${groups.join(', ')}`}
        </p>
        {doing === 'rename' && (
          <TextsForm
            id={`rename-${hashed_cid}`}
            texts={{ name, description }}
            submit="Save"
            onSubmit={(texts) =>
              change('Rename the action', () =>
                client.updateActionMetadata({ hashed_cid, ...texts }),
              )
            }
          />
        )}
        {doing === 'delete' && (
          <div class="warn">
            <p>This removes the action from every group. Only the account key can still run it.</p>
            <button
              type="button"
              class="danger"
              onClick={() =>
                void change('Delete the action', () => client.deleteAction({ hashed_cid }))
              }
            >
              Delete <UserText text={shown} max={60} />
            </button>
          </div>
        )}
      </div>
      <div class="actions">
        <button
          type="button"
          class="quiet small"
          aria-expanded={doing === 'rename' ? 'true' : 'false'}
          aria-label={`Rename ${shown}`}
          onClick={() => setDoing(doing === 'rename' ? '' : 'rename')}
        >
          Rename
        </button>
        <button
          type="button"
          class="danger small"
          aria-expanded={doing === 'delete' ? 'true' : 'false'}
          aria-label={`Delete ${shown}…`}
          onClick={() => setDoing(doing === 'delete' ? '' : 'delete')}
        >
          Delete…
        </button>
      </div>
    </li>
  )
}

type TextsFormProps = {
  id: string
  texts: Texts
  submit: string
  onSubmit: (texts: Texts) => Promise<boolean>
}

const TextsForm: FC<TextsFormProps> = ({ id, texts, submit, onSubmit }) => (
  <form
    onSubmit={(event: Event) => {
      const { text } = readSubmittedForm(event)
      void onSubmit({ name: text(`${id}-name`), description: text(`${id}-description`) })
    }}
  >
    <Field
      name={`${id}-name`}
      label="Name"
      maxlength={NAME_MAX_CHARACTERS}
      required
      value={texts.name}
    />
    <Field
      name={`${id}-description`}
      label="Description"
      maxlength={DESCRIPTION_MAX_CHARACTERS}
      value={texts.description}
    />
    <button>{submit}</button>
  </form>
)
