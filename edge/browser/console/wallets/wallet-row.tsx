import type { FC } from 'hono/jsx'
import type { Wallet } from '../../../../shared/client/core/account.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Badge } from '../../components/elements.tsx'
import { LazyDetails } from '../../components/lazy-details.tsx'
import { DescriptionNote, UserText } from '../../components/user-text.tsx'
import { HEADING_MAX_CHARACTERS } from '../permissions.ts'
import type { Connection } from '../connection.ts'
import type { Perform } from '../view.ts'
import { LazyPart } from './lazy-part.tsx'

type Props = {
  wallet: Wallet
  connection: Connection
  perform: Perform
  /** Called after a change of the policy. */
  onChanged: () => void
}

export const WalletRow: FC<Props> = ({ wallet, connection, perform, onChanged }) => {
  const { client } = connection
  const { wallet_address: address, name, description, policy_hash: policyHash } = wallet
  return (
    <li>
      <div>
        <h3>
          {name === '' ? 'Unnamed wallet' : <UserText text={name} max={HEADING_MAX_CHARACTERS} />}
          {policyHash !== undefined && <Badge>Policy</Badge>}
        </h3>
        <p>
          <code>{address}</code>
        </p>
        <DescriptionNote text={description} />
      </div>
      <CopyButton text={address} of={`the address ${address}`} />
      {policyHash !== undefined && (
        <LazyDetails class="part" summary="Show policy" keepsContent>
          <LazyPart
            what="policy"
            load={() => import('/scripts/policies.js')}
            show={(module, root) =>
              module.showWalletPolicy(root, { client, wallet, perform, onChanged })
            }
          />
        </LazyDetails>
      )}
      <LazyDetails class="part" summary="Show transactions">
        <LazyPart
          what="transactions"
          load={() => import('/scripts/transactions.js')}
          show={(module, root) =>
            module.showWalletTransactions(root, {
              operations: client.transactions,
              wallet,
              perform,
              isLive: connection.by === 'key',
            })
          }
        />
      </LazyDetails>
    </li>
  )
}
