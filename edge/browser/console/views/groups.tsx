import { DESCRIPTION_MAX_CHARACTERS } from '../../../../shared/limits.ts'
import { Field, PublicNameField } from '../../components/form-fields.tsx'
import { readSubmittedForm } from '../submitted-form.ts'
import { GroupRow } from '../groups/group-row.tsx'
import { Loaded, useLoaded } from '../loaded.tsx'
import { performAndReload } from '../perform.ts'
import { readPermissions } from '../permissions.ts'
import { PermissionDiagram } from '../diagram/permission-diagram.tsx'
import type { View } from '../view.ts'

export const GroupsView: View = ({ connection, perform }) => {
  const { client } = connection
  const permissions = useLoaded(() => readPermissions(connection))
  const change = performAndReload(perform, permissions.reload)
  const create = async (event: Event) => {
    const { form, text } = readSubmittedForm(event)
    const fields = { group_name: text('group_name'), group_description: text('group_description') }
    if (await change('Create a group', () => client.addGroup(fields))) form.reset()
  }
  const creation = (
    <form class="card" onSubmit={(event) => void create(event)}>
      <h3>Create a group</h3>
      <PublicNameField name="group_name" />
      <Field
        name="group_description"
        label="Description"
        hint="Optional."
        maxlength={DESCRIPTION_MAX_CHARACTERS}
        autocomplete="off"
      />
      <button>Create group</button>
    </form>
  )
  return (
    <>
      <p>
        A group defines which actions can use which wallets. A usage key can only run the actions of
        groups that it can execute in.
      </p>
      <Loaded of={permissions} what="groups" after={creation}>
        {(all) =>
          all.groups.length === 0 ? (
            <p class="card">No groups yet. Create one below, or follow the first steps.</p>
          ) : (
            <>
              <PermissionDiagram permissions={all} />
              <ul class="rows">
                {all.groups.map((group) => (
                  <GroupRow key={group.group_id} {...{ group, client, change }} permissions={all} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </>
  )
}
