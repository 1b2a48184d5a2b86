import type { FC } from 'hono/jsx'
import { useState } from 'preact/hooks'
import { cancelableSleep } from '../../../../shared/client/runtime-environment.ts'
import type { KeyConnection, WalletConnection } from '../connection.ts'
import type { ViewProps } from '../view.ts'
import { connectWallet } from '../wallets/connect-wallet.ts'
import { type ChosenWallet, WalletConnect } from '../wallets/wallet-connect.tsx'
import { TypedConfirmation } from './typed-confirmation.tsx'

type ConvertProps = Omit<ViewProps, 'connection'> & { connection: KeyConnection }

export const ConvertCard: FC<ConvertProps> = ({ connection, origin, reconnect, perform }) => {
  const [chosen, setChosen] = useState<WalletConnection | undefined>(undefined)
  const choose = (wallet: ChosenWallet) =>
    void perform('Get the address of the wallet', () => connectWallet(wallet, origin)).then(
      (connected) => connected && setChosen(connected),
    )
  const chooseAnother = () => {
    chosen?.wallet.end()
    setChosen(undefined)
  }
  const convert = () =>
    void perform('Convert the account', async () => {
      await connection.client.convertToChainSecured(chosen!.wallet.opened.provider)
      await waitUntilAdmin(chosen!)
      return { ...chosen!, adminStatus: 'admin' as const }
    }).then((converted) => converted && reconnect(converted))
  return (
    <>
      <Consequences />
      {chosen ? (
        <ChosenWalletCard chosen={chosen} another={chooseAnother} convert={convert} />
      ) : (
        <WalletConnect title="Choose the new admin wallet" isBusy={false} onChosen={choose} />
      )}
    </>
  )
}

const Consequences: FC = () => (
  <section class="card">
    <h3>Convert to ChainSecured</h3>
    <p>
      Your wallet permanently becomes the admin of the account. You sign a statement; the service
      sends the transaction and pays for it. The conversion costs no credits.
    </p>
    <ul>
      <li>
        <strong>The account key stops working</strong> for changes, reads and runs. It can still
        read billing data until you transfer the account to another wallet.
      </li>
      <li>Every later change is a transaction that the wallet signs and pays gas for.</li>
      <li>
        <strong>You cannot return to API mode.</strong> If you lose the wallet, the account can
        never be changed again.
      </li>
      <li>
        Everything else stays the same: wallets and their keys, groups, actions, usage keys and
        their caps, triggers, credits.
      </li>
    </ul>
    <p class="warn">
      Use a wallet that was never the admin of an account, and keep its address private until the
      conversion: anyone else could make it the admin of their account first, and you could no
      longer use it.
    </p>
  </section>
)

type ChosenWalletCardProps = { chosen: WalletConnection; another: () => void; convert: () => void }

const ChosenWalletCard: FC<ChosenWalletCardProps> = ({
  chosen: { address, adminStatus: status },
  another,
  convert,
}) => (
  <section class="card">
    <h3>New admin wallet</h3>
    <p>
      <code>{address}</code>
    </p>
    {status === 'none' ? (
      <TypedConfirmation words="convert" act="Convert account" onConfirmed={convert}>
        <p>Check that this is the intended wallet, and that you can restore it if it is lost.</p>
      </TypedConfirmation>
    ) : (
      <p class="problem">
        This wallet is or was the admin of an account, and cannot become an admin again. Choose
        another.
      </p>
    )}
    <p>
      <button type="button" class="quiet" onClick={another}>
        Choose another wallet
      </button>
    </p>
  </section>
)

/**
 * Waits for up to 30 s until the wallet's node reports the conversion. The node may be a few blocks behind the
 * service's node, and would show outdated state.
 */
async function waitUntilAdmin({ wallet }: WalletConnection): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    if ((await wallet.opened.adminStatus()) === 'admin') return
    await cancelableSleep(POLL_INTERVAL_MS)
  }
}

const POLL_INTERVAL_MS = 500
const POLLS_MAX = 60
