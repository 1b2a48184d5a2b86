import type { FC } from 'hono/jsx'
import { ConvertCard } from '../ownership/convert-card.tsx'
import { TransferCard } from '../ownership/transfer-card.tsx'
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

const AccountModes: FC<{ isChainSecured: boolean }> = ({ isChainSecured }) => (
  <section class="card">
    <h3>Who can change this account</h3>
    <p>
      {isChainSecured
        ? 'Only its admin wallet, with signed transactions. The service cannot change the account; it can only refuse to run actions.'
        : 'Anyone with the account key. The service makes the changes, and sends and pays for the transactions.'}
    </p>
    <table class="modes">
      <thead>
        <tr>
          <th scope="col">Aspect</th>
          <th scope="col">API mode{!isChainSecured && ' (now)'}</th>
          <th scope="col">ChainSecured{isChainSecured && ' (now)'}</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([what, api, chainSecured]) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{api}</td>
            <td>{chainSecured}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const ROWS = [
  ['Changes', 'the account key', 'the admin wallet, with transactions'],
  ['Gas', 'paid by the service', 'paid by the wallet'],
  ['Runs', 'the account key and usage keys', 'usage keys'],
  ['Billing', 'any key', 'a statement signed by the wallet'],
  ['If a key is stolen', 'the account key can change everything', 'no key can change anything'],
  [
    'If lost',
    'without the account key, nothing can be changed',
    'without the wallet, nothing can be changed',
  ],
] as const
