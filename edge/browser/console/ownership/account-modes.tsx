import type { FC } from 'hono/jsx'

export const AccountModes: FC<{ isChainSecured: boolean }> = ({ isChainSecured }) => (
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
