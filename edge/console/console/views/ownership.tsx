/** `#ownership`: the account's mode, and its conversion or transfer. */
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
          This is a usage key, which can not hand the account to anybody. Connect with the account
          key, or with the admin wallet of a ChainSecured account.
        </p>
      )}
      {scope === 'billing' && (
        <p class="warn">
          The account of this key was converted: its admin wallet alone can hand it on. Connect that
          wallet.
        </p>
      )}
    </>
  )
}
