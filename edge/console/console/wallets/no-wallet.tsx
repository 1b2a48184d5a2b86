import type { FC } from 'hono/jsx'

export const WALLETS_TITLE = 'Connect a wallet'

/** Where wallets of the browser would be listed: drawn by the Worker too, so that nothing moves when they are. */
export const NoWalletCard: FC<{ title?: string | undefined }> = ({ title }) => (
  <section class="card wallets">
    <h2>{title ?? WALLETS_TITLE}</h2>
    <p class="note">
      No wallet of this browser has announced itself. A ChainSecured account needs one: an extension
      that knows EIP-6963, as today’s wallets do. Install it, unlock it, and reload this page.
    </p>
  </section>
)
