import type { FC } from 'hono/jsx'
import { useEffect, useState } from 'preact/hooks'
import { NoWalletCard, WALLETS_TITLE } from './no-wallet-card.tsx'
import { UserText } from '../../components/user-text.tsx'
import {
  type AnnouncedWallet,
  watchAnnouncedWallets,
  haveSimilarNames,
} from './announced-wallets.ts'

export type ChosenWallet = Pick<AnnouncedWallet, 'name' | 'provider'>

type WalletConnectProps = {
  isBusy: boolean
  onChosen: (wallet: ChosenWallet) => void
  title?: string | undefined
}

export const WalletConnect: FC<WalletConnectProps> = ({ isBusy, onChosen, title }) => {
  const [wallets, setWallets] = useState<readonly AnnouncedWallet[]>([])
  useEffect(() => watchAnnouncedWallets(window, setWallets), [])
  if (wallets.length === 0) return <NoWalletCard title={title} />
  return (
    <section class="card wallets">
      <h2>{title ?? WALLETS_TITLE}</h2>
      <p class="note">For a ChainSecured account, which only its admin wallet can change.</p>
      <ul>
        {wallets.map((wallet) => (
          <li key={wallet.uuid}>
            <WalletButton wallet={wallet} isBusy={isBusy} onChosen={onChosen} />
          </li>
        ))}
      </ul>
      {haveSimilarNames(wallets) && (
        <p class="warn">
          Two of these wallets have the same name and differ only in the small line below it. Choose
          the one that you installed.
        </p>
      )}
    </section>
  )
}

type WalletButtonProps = Omit<WalletConnectProps, 'title'> & { wallet: AnnouncedWallet }

const WalletButton: FC<WalletButtonProps> = ({ wallet, isBusy, onChosen }) => (
  <button type="button" class="quiet wallet" disabled={isBusy} onClick={() => onChosen(wallet)}>
    {wallet.icon ? <img src={wallet.icon} alt="" width={32} height={32} /> : <span class="mark" />}
    <span>
      <UserText text={wallet.name} />
      <small>
        <UserText text={wallet.rdns} />
      </small>
    </span>
  </button>
)
