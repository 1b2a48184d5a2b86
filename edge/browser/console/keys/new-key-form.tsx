import { useState } from 'preact/hooks'
import type { Group, UsageKeyFields } from '../../../../shared/client/core/account.ts'
import { readSubmittedForm } from '../submitted-form.ts'
import { WILDCARD_GROUP, nameOfGroup } from '../permissions.ts'
import { CapFields, readCap } from './cap-fields.tsx'
import { LimitFields } from './limit-fields.tsx'
import { readLimits } from './read-limits.ts'
import { Choice, PublicNameField } from '../../components/form-fields.tsx'

const RIGHTS = [
  ['can_create_pkps', 'Create wallets'],
  ['can_create_groups', 'Create groups'],
  ['can_delete_groups', 'Remove any group'],
] as const

const GROUP_RIGHTS = [
  ['manage_ipfs_ids_in_groups', 'Permit and remove actions in'],
  ['add_pkp_to_groups', 'Permit wallets in'],
  ['remove_pkp_from_groups', 'Remove wallets from'],
] as const

type NewKeyFormProps = { groups: Group[]; create: (fields: UsageKeyFields) => Promise<void> }

export const NewKeyForm = ({ groups, create }: NewKeyFormProps) => {
  const [problem, setProblem] = useState('')
  const submit = (event: Event) => {
    const fields = readSubmittedForm(event)
    const cap = readCap(fields)
    if (!cap) return setProblem('Enter a valid spending cap in dollars.')
    setProblem('')
    void create({
      name: fields.text('key_name'),
      execute_in_groups: fields.numbers('execute_in_groups'),
      ...Object.fromEntries(RIGHTS.map(([name]) => [name, fields.has(name)])),
      ...Object.fromEntries(GROUP_RIGHTS.map(([name]) => [name, fields.numbers(name)])),
      ...cap,
      ...readLimits(fields),
    })
  }
  return (
    <form class="card" onSubmit={submit}>
      <h3>Create a usage key</h3>
      <PublicNameField name="key_name" />
      <GroupCheckboxes name="execute_in_groups" legend="Run the actions of" groups={groups} />
      <CapFields />
      {problem !== '' && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      <details>
        <summary>Limits</summary>
        <LimitFields />
      </details>
      <details>
        <summary>More permissions</summary>
        <p class="warn">
          A key that can permit actions or wallets in a group can grant itself access to everything
          in that group.
        </p>
        <fieldset>
          <legend>In the account</legend>
          {RIGHTS.map(([name, text]) => (
            <Box name={name} value="yes" text={text} key={name} />
          ))}
        </fieldset>
        {GROUP_RIGHTS.map(([name, legend]) => (
          <GroupCheckboxes name={name} legend={legend} groups={groups} key={name} />
        ))}
      </details>
      <button>Create key</button>
    </form>
  )
}

type GroupCheckboxesProps = { name: string; legend: string; groups: Group[] }

const GroupCheckboxes = ({ name, legend, groups }: GroupCheckboxesProps) => (
  <fieldset>
    <legend>{legend}</legend>
    {groups.map((group) => (
      <Box
        name={name}
        value={String(group.group_id)}
        text={nameOfGroup(group)}
        key={group.group_id}
      />
    ))}
    <Box
      name={name}
      value={String(WILDCARD_GROUP)}
      text="Every group, including future ones. Dangerous."
    />
  </fieldset>
)

const Box = ({ name, value, text }: { name: string; value: string; text: string }) => (
  <Choice type="checkbox" name={name} value={value}>
    <bdi>{text}</bdi>
  </Choice>
)
