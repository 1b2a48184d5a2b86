/** The wallets that the browser offers, each a button, where there are any. */
import type { FC } from 'hono/jsx'
import type { Eip1193Provider } from '../../../../shared/client/sovereign/signer.ts'

/** What the person has chosen, to connect by. */
export type ChosenWallet = { name: string; provider: Eip1193Provider }

type WalletConnectProps = { isBusy: boolean; onChosen: (wallet: ChosenWallet) => void }

export const WalletConnect: FC<WalletConnectProps> = () => null
