import type { FC } from 'hono/jsx'
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Explanation } from '../../chain-secured/explanation.ts'
import { FactList } from '../../components/elements.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { SigningPrompt, Signing } from './signing.ts'
import { useSigning } from './use-signing.ts'

type DialogProps = {
  signing: Signing
  /** Name of the wallet, as announced by the wallet itself. */
  walletName: string
}

const SigningDialog: FC<DialogProps> = ({ signing, walletName }) => {
  const { shown } = useSigning(signing)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (shown && !dialog.current?.open) dialog.current?.showModal()
    if (!shown) dialog.current?.close()
  }, [shown])
  const leave = (event: Event) => {
    // Prevents the browser from closing the dialog, which is closed when the signing state changes.
    event.preventDefault()
    if (shown?.phase === 'explained') signing.decide(false)
    else signing.stopWaiting()
  }
  return (
    <dialog ref={dialog} class="signing" aria-labelledby="signing-title" onCancel={leave}>
      {shown && <Content shown={shown} signing={signing} walletName={walletName} />}
    </dialog>
  )
}

/** It is outside of the console's fieldset, which is disabled during operations. */
export function showSigningDialog(signing: Signing, walletName: string): () => void {
  const root = document.createElement('div')
  document.body.append(root)
  render(<SigningDialog signing={signing} walletName={walletName} />, root)
  return () => root.remove()
}

const Content: FC<DialogProps & { shown: SigningPrompt }> = ({ shown, signing, walletName }) => {
  const name = <UserText text={walletName} />
  if (shown.phase === 'waiting')
    return (
      <>
        <h2 id="signing-title">Waiting for your wallet</h2>
        <p>
          Waiting for {name} to {shown.what}. Check whether it is locked or has opened a window
          behind this one.
        </p>
        <StopWaiting signing={signing} />
      </>
    )
  const { explanation } = shown
  return (
    <>
      <ExplanationText explanation={explanation} />
      {shown.phase === 'explained' ? (
        <div class="actions">
          <button type="button" onClick={() => signing.decide(true)}>
            {explanation.kind === 'transaction' ? 'Send with my wallet' : 'Sign with my wallet'}
          </button>
          <button type="button" class="quiet" onClick={() => signing.decide(false)}>
            Cancel
          </button>
        </div>
      ) : (
        <>
          <p role="status">
            Compare the request shown by {name} with this explanation, and confirm or reject it
            there.
          </p>
          <StopWaiting signing={signing} />
        </>
      )}
    </>
  )
}

const ExplanationText: FC<{ explanation: Explanation }> = ({ explanation }) => {
  const { kind, title, summary, facts, undo, isIrreversible } = explanation
  return (
    <>
      <p class="note">
        {kind === 'transaction'
          ? 'You are about to send a transaction with your wallet.'
          : 'You are about to sign a statement with your wallet.'}
      </p>
      {/* The heading gets the focus, because focusing a button would scroll a long explanation out of view. */}
      <h2 id="signing-title" tabindex={-1} autofocus>
        {title}
      </h2>
      <p>
        <UserText text={summary} max={VALUE_MAX_CHARACTERS} />
      </p>
      <FactList
        facts={facts.map(([name, value]) => [
          name,
          <UserText text={value} max={VALUE_MAX_CHARACTERS} />,
        ])}
      />
      <p class={isIrreversible ? 'warn' : 'note'}>{undo}</p>
    </>
  )
}

const StopWaiting: FC<{ signing: Signing }> = ({ signing }) => (
  <div class="actions">
    <button type="button" class="quiet" onClick={() => signing.stopWaiting()}>
      Stop waiting
    </button>
  </div>
)

/**
 * Maximum number of characters of a value. A group can have five hundred wallets, all of which are listed in the groups
 * view.
 */
const VALUE_MAX_CHARACTERS = 1_500
