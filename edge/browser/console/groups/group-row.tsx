import { TwoStepButton } from '../../components/two-step-button.tsx'
import { DescriptionNote, UserText } from '../../components/user-text.tsx'
import {
  groupWarnings,
  HEADING_MAX_CHARACTERS,
  keysOfGroup,
  nameOfAction,
  nameOfWallet,
  displayName,
} from '../permissions.ts'
import { EditGroup, type GroupProps } from './edit-group.tsx'

export const GroupRow = ({ group, permissions, client, change }: GroupProps) => {
  const { group_id, name, description, cid_hashes_permitted, pkp_ids_permitted } = group
  return (
    <li>
      <div>
        <h3>
          <UserText text={name} max={HEADING_MAX_CHARACTERS} />{' '}
          <span class="note">group {group_id}</span>
        </h3>
        <DescriptionNote text={description} />
        {groupWarnings(group, permissions).map((danger) => (
          <p class="warn" key={danger}>
            <strong>Dangerous.</strong> <bdi>{danger}</bdi>
          </p>
        ))}
        <Members
          title="Actions"
          none="None: this group cannot run anything."
          members={cid_hashes_permitted.map((hash) => ({
            id: hash,
            name: nameOfAction(hash, permissions),
          }))}
          remove={(hashed_cid, member) =>
            void change(`Remove ${member} from the group`, () =>
              client.removeActionFromGroup({ group_id, hashed_cid }),
            )
          }
        />
        <Members
          title="Wallets"
          none="None: the actions of this group cannot use any key."
          members={pkp_ids_permitted.map((id) => ({ id, name: nameOfWallet(id, permissions) }))}
          remove={(pkp_id, member) =>
            void change(`Remove ${member} from the group`, () =>
              client.removePkpFromGroup({ group_id, pkp_id }),
            )
          }
        />
        <p>
          Usage keys that can execute:{' '}
          <bdi>
            {keysOfGroup(group, permissions)
              .map((key) => displayName(key.name))
              .join(', ') || 'none'}
          </bdi>
        </p>
        <EditGroup group={group} permissions={permissions} client={client} change={change} />
      </div>
      <TwoStepButton
        text="Remove"
        label={`Remove the group ${displayName(name)}`}
        consequence="Usage keys can no longer execute in this group, and triggers that use them will fail. The group number is never reused."
        confirm="Remove group"
        onConfirm={() => void change('Remove the group', () => client.removeGroup({ group_id }))}
      />
    </li>
  )
}

type MembersProps = {
  title: string
  none: string
  members: { id: string; name: string }[]
  remove: (id: string, name: string) => void
}

const Members = ({ title, none, members, remove }: MembersProps) => (
  <>
    <h4>{title}</h4>
    {members.length === 0 ? (
      <p class="note">{none}</p>
    ) : (
      <ul class="members">
        {members.map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi>
            <button
              type="button"
              class="quiet small"
              aria-label={`Remove ${name} from this group`}
              onClick={() => remove(id, name)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    )}
  </>
)
