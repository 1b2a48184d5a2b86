/** Wildcards are deliberately not offered. */
import type { AccountOperations, Group } from '../../../../shared/client/core/account.ts'
import { DESCRIPTION_MAX_CHARACTERS, NAME_MAX_CHARACTERS } from '../../../../shared/limits.ts'
import { Select, Field } from '../../components/form-fields.tsx'
import { readSubmittedForm } from '../submitted-form.ts'
import { nameOfWallet, type Permissions } from '../permissions.ts'
import type { PerformChange } from '../view.ts'

export type GroupProps = {
  group: Group
  permissions: Permissions
  client: AccountOperations
  change: PerformChange
}

export const EditGroup = ({ group, permissions, client, change }: GroupProps) => {
  const { group_id } = group
  const others = permissions.wallets.filter(
    ({ pkp_id }) => !group.pkp_ids_permitted.includes(pkp_id),
  )
  const id = (name: string) => `${name}-${group_id}`
  const addAction = (event: Event) => {
    const { text } = readSubmittedForm(event)
    const action = { group_id, action_ipfs_cid: text(id('cid')), name: text(id('action_name')) }
    void change('Permit the action', () => client.addActionToGroup(action))
  }
  const addWallet = (event: Event) => {
    const pkp_id = readSubmittedForm(event).text(id('wallet'))
    void change('Permit the wallet', () => client.addPkpToGroup({ group_id, pkp_id }))
  }
  const rename = (event: Event) => {
    const { text } = readSubmittedForm(event)
    const texts = { group_name: text(id('name')), group_description: text(id('description')) }
    void change('Update the group', () => client.updateGroup({ group_id, ...texts }))
  }
  return (
    <details>
      <summary>Edit group</summary>
      <form onSubmit={addAction}>
        <Field
          name={id('cid')}
          label="CID of an action to permit"
          hint="46 characters, starting with Qm. To get the CID of an action, enter its source in the Actions view."
          required
          pattern="Qm[1-9A-HJ-NP-Za-km-z]{44}"
          autocomplete="off"
          spellcheck={false}
        />
        <Field
          name={id('action_name')}
          label="Action name"
          hint="Optional."
          maxlength={NAME_MAX_CHARACTERS}
          autocomplete="off"
        />
        <button>Permit action</button>
      </form>
      {others.length > 0 && (
        <form onSubmit={addWallet}>
          <Select
            name={id('wallet')}
            label="Wallet to permit"
            value=""
            choices={others.map(({ pkp_id }) => [pkp_id, nameOfWallet(pkp_id, permissions)])}
          />
          <button>Permit wallet</button>
        </form>
      )}
      <form onSubmit={rename}>
        <Field
          name={id('name')}
          label="Name"
          required
          value={group.name}
          maxlength={NAME_MAX_CHARACTERS}
          autocomplete="off"
        />
        <Field
          name={id('description')}
          label="Description"
          value={group.description}
          maxlength={DESCRIPTION_MAX_CHARACTERS}
          autocomplete="off"
        />
        <button>Save</button>
      </form>
    </details>
  )
}
