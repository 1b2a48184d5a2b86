import type { FC } from 'hono/jsx'

export const WALLETS_TITLE = 'Connect a wallet'

/** Placeholder for the list of the browser's wallets. The Worker renders it too, to avoid a layout shift. */
export const NoWalletCard: FC<{ title?: string | undefined }> = ({ title }) => (
  <section class="card wallets">
    <h2>{title ?? WALLETS_TITLE}</h2>
    <p class="note">
      No wallet of this browser has announced itself. A ChainSecured account needs one: an extension
      that knows EIP-6963, as today’s wallets do. Install it, unlock it, and reload this page.
    </p>
  </section>
)
