import type { FC } from 'hono/jsx'

export const WALLETS_TITLE = 'Connect a wallet'

/** Card shown in place of an empty list of wallets. The Worker also renders it, to avoid a layout shift. */
export const NoWalletCard: FC<{ title?: string | undefined }> = ({ title }) => (
  <section class="card wallets">
    <h2>{title ?? WALLETS_TITLE}</h2>
    <p class="note">
      No wallet found in this browser. A ChainSecured account requires a wallet extension that
      supports EIP-6963. Install and unlock one, then reload this page.
    </p>
  </section>
)
