import { cancelableSleep } from '../../../../shared/client/runtime-environment.ts'
import { openWallet } from '../../chain-secured/open-wallet.ts'
import type { WalletConnection } from '../connection.ts'
import { createKeyClient, type Origin, announceStep, fetchWithoutCookies } from '../connect-key.ts'
import { Signing } from './signing.ts'
import { showSigningDialog } from './signing-dialog.tsx'
import type { ChosenWallet } from './wallet-connect.tsx'

/**
 * Connects a wallet. The wallet is not necessarily an admin of an account (see `adminStatus`).
 * @throws {WalletRefused | WalletFailed | WrongChain | WrongContract | NoWallet}
 */
export async function connectWallet(
  { name, provider }: ChosenWallet,
  origin: Origin,
): Promise<WalletConnection> {
  const disconnection = new AbortController()
  const signing = new Signing({ now: Date.now, sleep: cancelableSleep })
  const removeDialog = showSigningDialog(signing, name)
  const end = () => {
    disconnection.abort()
    signing.forget()
    removeDialog()
  }
  try {
    const opened = await openWallet({
      wallet: provider,
      core: createKeyClient(undefined, origin),
      options: { baseUrl: origin.baseUrl, fetch: fetchWithoutCookies },
      consent: signing,
      onStep: (step) => {
        signing.step(step)
        announceStep(step)
      },
      now: Date.now,
      signal: disconnection.signal,
    })
    const status = await opened.adminStatus()
    const client = reportFailures(opened.client, (failure) => signing.failed(failure))
    return {
      by: 'wallet',
      client,
      address: opened.address,
      adminStatus: status,
      wallet: { name, unguardedProvider: provider, opened, signing, end },
    }
  } catch (failure) {
    end()
    throw failure
  }
}

function reportFailures<Client extends object>(
  client: Client,
  report: (failure: unknown) => void,
): Client {
  const wrap = (member: unknown) => {
    if (typeof member !== 'function') return member
    return (...args: unknown[]) => {
      const answer = member(...args)
      if (answer instanceof Promise) answer.catch(report)
      return answer
    }
  }
  const members = Object.entries(client).map(([name, member]) => [name, wrap(member)])
  return Object.fromEntries(members) as Client
}
