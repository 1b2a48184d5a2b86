import { Convert } from '../ownership/convert.tsx'
import { Transfer } from '../ownership/transfer.tsx'
import { WhoMayWhat } from '../ownership/who-may-what.tsx'
import type { View } from '../view.ts'

export const OwnershipView: View = ({ connection, ...others }) => {
  if (connection.by === 'wallet')
    return (
      <>
        <WhoMayWhat isChainSecured />
        <Transfer connection={connection} {...others} />
      </>
    )
  const { scope } = connection
  return (
    <>
      <WhoMayWhat isChainSecured={scope === 'billing'} />
      {scope === 'account' && <Convert connection={connection} {...others} />}
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
