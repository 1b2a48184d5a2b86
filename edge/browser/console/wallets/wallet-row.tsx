import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { AccountOperations, Wallet } from '../../../../shared/client/core/account.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Badge } from '../../components/elements.tsx'
import { DescriptionNote, UserText } from '../../components/user-text.tsx'
import { HEADING_MAX_CHARACTERS } from '../permissions.ts'
import type { Perform } from '../view.ts'
import { PolicyPart } from './policy-part.tsx'

type Props = {
  wallet: Wallet
  client: AccountOperations
  perform: Perform
  /** Called after a change of the policy. */
  onChanged: () => void
}

export const WalletRow: FC<Props> = ({ wallet, client, perform, onChanged }) => {
  const { wallet_address: address, name, description, policy_hash: policyHash } = wallet
  const [isOpen, setOpen] = useState(false)
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
        <details
          class="policy"
          onToggle={(event: Event) => {
            if ((event.currentTarget as HTMLDetailsElement).open) setOpen(true)
          }}
        >
          <summary>Show policy</summary>
          {isOpen && (
            <PolicyPart
              what="policy"
              show={(module, root) =>
                module.showWalletPolicy(root, { client, wallet, perform, onChanged })
              }
            />
          )}
        </details>
      )}
    </li>
  )
}
