import { ConvertCard } from '../ownership/convert-card.tsx'
import { TransferCard } from '../ownership/transfer-card.tsx'
import { AccountModes } from '../ownership/account-modes.tsx'
import type { View } from '../view.ts'

export const OwnershipView: View = ({ connection, ...others }) => {
  if (connection.by === 'wallet')
    return (
      <>
        <AccountModes isChainSecured />
        <TransferCard connection={connection} {...others} />
      </>
    )
  const { scope } = connection
  return (
    <>
      <AccountModes isChainSecured={scope === 'billing'} />
      {scope === 'account' && <ConvertCard connection={connection} {...others} />}
      {scope === 'usage' && (
        <p class="warn">
          A usage key cannot change the ownership of the account. Connect with the account key, or
          with the admin wallet of a ChainSecured account.
        </p>
      )}
      {scope === 'billing' && (
        <p class="warn">
          The account of this key was converted to ChainSecured. Only its admin wallet can transfer
          it. Connect that wallet.
        </p>
      )}
    </>
  )
}
