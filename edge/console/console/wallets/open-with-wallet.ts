import { slept } from '../../../../shared/client/surroundings.ts'
import { openWallet } from '../../chain-secured/open-wallet.ts'
import type { WalletConnection } from '../connection.ts'
import { clientOfKey, type Origin, tellStepOf, withoutCookies } from '../open.ts'
import { Signing } from './signing.ts'
import { showSigningDialog } from './signing-dialog.tsx'
import type { ChosenWallet } from './wallet-connect.tsx'

/**
 * The wallet is not necessarily an admin of an account (see `standing`).
 * @throws {WalletRefused | WalletFailed | WrongChain | WrongContract | NoWallet}
 */
export async function connectWallet(
  { name, provider }: ChosenWallet,
  origin: Origin,
): Promise<WalletConnection> {
  const ending = new AbortController()
  const signing = new Signing({ now: Date.now, sleep: slept })
  const takeDialogAway = showSigningDialog(signing, name)
  const end = () => {
    ending.abort()
    signing.forget()
    takeDialogAway()
  }
  try {
    const opened = await openWallet({
      wallet: provider,
      core: clientOfKey(undefined, origin),
      options: { baseUrl: origin.baseUrl, fetch: withoutCookies },
      consent: signing,
      onStep: (step) => {
        signing.step(step)
        tellStepOf(step)
      },
      now: Date.now,
      signal: ending.signal,
    })
    const standing = await opened.standing()
    const client = saying(opened.client, (failure) => signing.failed(failure))
    return {
      by: 'wallet',
      client,
      address: opened.address,
      standing,
      wallet: { name, announced: provider, opened, signing, end },
    }
  } catch (failure) {
    end()
    throw failure
  }
}

/** Calls `tell` with the error of each failed call. */
function saying<Client extends object>(client: Client, tell: (failure: unknown) => void): Client {
  const told = (member: unknown) => {
    if (typeof member !== 'function') return member
    return (...args: unknown[]) => {
      const answer = member(...args)
      if (answer instanceof Promise) answer.catch(tell)
      return answer
    }
  }
  const members = Object.entries(client).map(([name, member]) => [name, told(member)])
  return Object.fromEntries(members) as Client
}
