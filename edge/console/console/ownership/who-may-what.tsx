import type { FC } from 'hono/jsx'

/** Compares the two modes of an account. The introduction describes the current mode, for screen readers. */
export const WhoMayWhat: FC<{ isChainSecured: boolean }> = ({ isChainSecured }) => (
  <section class="card">
    <h3>Who can change this account</h3>
    <p>
      {isChainSecured
        ? 'Its admin wallet alone, by transactions that it signs. The service can change nothing of it: it can only refuse to run.'
        : 'Whoever has its account key. The service writes for that key, and sends and pays the transactions.'}
    </p>
    <table class="modes">
      <thead>
        <tr>
          <th scope="col">What</th>
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
  ['Changes', 'the account key', 'the admin wallet, by transactions'],
  ['Gas', 'paid by the service', 'paid by the wallet'],
  ['Runs', 'the account key and usage keys', 'usage keys'],
  ['Billing', 'any key', 'a statement that the wallet signs'],
  ['A stolen key', 'the account key changes all of it', 'no key changes anything'],
  ['Lost', 'the account key: nothing can be changed', 'the wallet: nothing can be changed'],
] as const
