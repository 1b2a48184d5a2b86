import { useEffect, useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import { cidHash } from '../../../../shared/cid/cid-format.ts'
import { actionCid } from '../../../../shared/cid/compute-cid.ts'
import { WILDCARD } from '../../../../shared/cid/wildcard.ts'
import type { Group } from '../../../../shared/client/core/account.ts'
import { ShortenedId } from '../../components/copy-button.tsx'
import { formatFailure } from '../../format/describe-failure.ts'
import { UserText } from '../../components/user-text.tsx'
import { type Connection, hasFullAccess } from '../connection.ts'
import { Loaded, useLoaded } from '../loaded.tsx'
import { performAndReload } from '../perform.ts'
import type { Perform } from '../view.ts'

/** The computation is asynchronous, so the CID briefly lags behind edits. */
export function useCid(source: string): string | undefined {
  const [cid, setCid] = useState<string | undefined>(undefined)
  useEffect(() => {
    let isOver = false
    actionCid(source).then(
      (made) => isOver || setCid(made),
      () => {},
    )
    return () => {
      isOver = true
    }
  }, [source])
  return cid
}

type PermissionCardProps = {
  connection: Connection
  cid: string
  perform: Perform
  onChange: () => void
}

/**
 * @param cid CID of the action, or undefined until it is computed; the card is shown in any case, to avoid a layout
 *   shift
 */
export const PermissionCard: FC<Omit<PermissionCardProps, 'cid'> & { cid: string | undefined }> = ({
  cid,
  ...props
}) => (
  <section class="card permission" aria-labelledby="permission-heading">
    <h3 id="permission-heading">Identity and permissions</h3>
    {cid !== undefined && <CidPermissions cid={cid} {...props} />}
  </section>
)

const CidPermissions: FC<PermissionCardProps> = (props) => (
  <>
    <p>
      CID <ShortenedId text={props.cid} of="the CID of the source" />
    </p>
    <ActionWallet {...props} key={props.cid} />
    {hasFullAccess(props.connection) ? (
      <Groups {...props} />
    ) : (
      <p class="note">
        A usage key cannot read the groups of its account. Run the action to see whether a group
        permits it.
      </p>
    )}
  </>
)

const Groups: FC<PermissionCardProps> = ({ connection, cid, perform, onChange }) => {
  const groups = useLoaded(() => connection.client.listGroups().all())
  const [chosen, setChosen] = useState<number | undefined>(undefined)
  const hash = cidHash(cid)
  const change = performAndReload(perform, async () => {
    await groups.reload()
    onChange()
  })
  const permit = (group_id: number) =>
    change('Permit the action', () =>
      connection.client.addActionToGroup({ group_id, action_ipfs_cid: cid }),
    )
  return (
    <Loaded of={groups} what="groups">
      {(all) => {
        const permitting = all.filter((group) => permits(group, hash))
        const others = all.filter((group) => !permits(group, hash))
        const choice = others.find(({ id }) => id === chosen) ?? others[0]
        return (
          <>
            <PermittingGroups groups={permitting} hash={hash} connection={connection} />
            {choice && (
              <div class="permit">
                <div class="field">
                  <label for="permit-group">Permit in a group</label>
                  <select
                    id="permit-group"
                    onChange={(event) =>
                      setChosen(Number((event.target as HTMLSelectElement).value))
                    }
                  >
                    {others.map(({ id, name }) => (
                      <option value={String(id)} selected={id === choice.id}>
                        {id}: <UserText text={name} max={60} />
                      </option>
                    ))}
                  </select>
                </div>
                <button type="button" class="quiet" onClick={() => void permit(choice.id)}>
                  Permit
                </button>
              </div>
            )}
            {all.length === 0 && (
              <p>
                No groups yet. <a href="#groups">Create one</a> with the wallets that this action
                may use.
              </p>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

const permits = ({ cid_hashes_permitted: hashes }: Group, hash: string) =>
  hashes.includes(hash) || hashes.includes(WILDCARD)

const PermittingGroups: FC<{ groups: Group[]; hash: string; connection: Connection }> = ({
  groups,
  hash,
  connection,
}) => {
  if (groups.length === 0)
    return (
      <p>
        No group permits this action.{' '}
        {connection.by === 'key'
          ? 'The account key can still run it, without a wallet; a usage key cannot.'
          : 'No usage key can run it.'}
      </p>
    )
  return (
    <ul>
      {groups.map(({ id, name, cid_hashes_permitted: hashes, pkp_ids_permitted: wallets }) => (
        <li>
          Permitted in group {id}, <UserText text={name} max={80} />
          {hashes.includes(hash) ? '' : ', which permits every action'}, with{' '}
          {wallets.includes(WILDCARD) ? 'every wallet' : walletsOf(wallets.length)}.
        </li>
      ))}
    </ul>
  )
}

const walletsOf = (count: number) => (count === 1 ? '1 wallet' : `${count} wallets`)

/**
 * Wallet that is derived from the action's CID. It is looked up only on request, because the lookup verifies large
 * evidence.
 */
const ActionWallet: FC<PermissionCardProps> = ({ connection, cid }) => {
  const [found, setFound] = useState<{ address?: string; why?: string; isAsked?: boolean }>({})
  const lookUp = async () => {
    setFound({ isAsked: true })
    try {
      const { wallet_address } = await connection.client.actionWallet(cid)
      setFound({ address: wallet_address })
    } catch (failure) {
      setFound({ why: formatFailure(failure) })
    }
  }
  return (
    <div class="own-wallet">
      {found.address === undefined ? (
        <button
          type="button"
          class="quiet small"
          disabled={found.isAsked === true}
          onClick={() => void lookUp()}
        >
          Look up the action’s wallet
        </button>
      ) : (
        <p>
          Action wallet <ShortenedId text={found.address} of="the address of the action" />
        </p>
      )}
      <p role="status">{found.isAsked ? 'Loading…' : ''}</p>
      {found.why !== undefined && (
        <p class="warn">
          <UserText text={found.why} max={600} />
        </p>
      )}
    </div>
  )
}
