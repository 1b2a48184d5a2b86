import type { FC } from 'hono/jsx'

export const WALLETS_TITLE = 'Connect a wallet'

/** The Worker also renders this card, to avoid a layout shift. */
export const NoWalletCard: FC<{ title?: string | undefined }> = ({ title }) => (
  <section class="card wallets">
    <h2>{title ?? WALLETS_TITLE}</h2>
    <p class="note">
      No wallet found in this browser. A ChainSecured account requires a wallet extension that
      supports EIP-6963. Install and unlock one, then reload this page.
    </p>
  </section>
)
