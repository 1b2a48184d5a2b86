/** Converts an account from an account key to an admin wallet: choose, check, confirm, sign. Irreversible. */
import type { FC } from 'hono/jsx'
import { useState } from 'hono/jsx/dom'
import { slept } from '../../../../shared/client/surroundings.ts'
import type { KeyConnection, WalletConnection } from '../connection.ts'
import type { ViewProps } from '../view.ts'
import { connectWallet } from '../wallets/open-with-wallet.ts'
import { type ChosenWallet, WalletConnect } from '../wallets/wallet-connect.tsx'
import { TypedConfirmation } from './typed-confirmation.tsx'

type ConvertProps = Omit<ViewProps, 'connection'> & { connection: KeyConnection }

export const Convert: FC<ConvertProps> = ({ connection, origin, reconnect, perform }) => {
  const [chosen, setChosen] = useState<WalletConnection | undefined>(undefined)
  const choose = (wallet: ChosenWallet) =>
    void perform('Ask the wallet for its address', () => connectWallet(wallet, origin)).then(
      (connected) => connected && setChosen(connected),
    )
  const another = () => {
    chosen?.wallet.end()
    setChosen(undefined)
  }
  const convert = () =>
    void perform('Convert the account', async () => {
      await connection.client.convertToChainSecured(chosen!.wallet.opened.provider)
      await untilAdmin(chosen!)
      return { ...chosen!, standing: 'admin' as const }
    }).then((converted) => converted && reconnect(converted))
  return (
    <>
      <Consequences />
      {chosen ? (
        <Chosen chosen={chosen} another={another} convert={convert} />
      ) : (
        <WalletConnect
          title="Choose the wallet that will own it"
          isBusy={false}
          onChosen={choose}
        />
      )}
    </>
  )
}

const Consequences: FC = () => (
  <section class="card">
    <h3>Convert it to ChainSecured</h3>
    <p>
      A wallet of yours becomes the account’s admin, for ever. You sign a statement; the service
      sends the transaction and pays for it. The conversion costs no credit.
    </p>
    <ul>
      <li>
        <strong>The account key changes nothing any more</strong>, reads nothing and runs nothing.
        It reads the bills until you transfer the account to another wallet.
      </li>
      <li>Each later change is a transaction that the wallet signs, and whose gas it pays.</li>
      <li>
        <strong>There is no way back to API mode.</strong> Who loses the wallet can change the
        account never again.
      </li>
      <li>
        All else stays: wallets and their keys, groups, actions, usage keys and their caps,
        triggers, credits.
      </li>
    </ul>
    <p class="warn">
      Take a wallet that was never the admin of an account, and that nobody expects: somebody else
      could make it the admin of theirs first, and it would be taken.
    </p>
  </section>
)

type ChosenProps = { chosen: WalletConnection; another: () => void; convert: () => void }

const Chosen: FC<ChosenProps> = ({ chosen: { address, standing }, another, convert }) => (
  <section class="card">
    <h3>The wallet</h3>
    <p>
      <code>{address}</code>
    </p>
    {standing === 'none' ? (
      <TypedConfirmation words="convert" act="Convert the account" onConfirmed={convert}>
        <p>
          Look whether this is the wallet that you mean, and that you can restore it if it is lost.
        </p>
      </TypedConfirmation>
    ) : (
      <p class="problem">
        This wallet is the admin of an account, or was: it can not be made one again. Choose
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
 * Waits up to 30 s, because the wallet's node may be a few blocks behind the service's. Until the node catches up, the
 * console shows outdated state.
 */
async function untilAdmin({ wallet }: WalletConnection): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if ((await wallet.opened.standing()) === 'admin') return
    await slept(LOOK_EVERY_MS)
  }
}

const LOOK_EVERY_MS = 500
const LOOKS_MAX = 60
