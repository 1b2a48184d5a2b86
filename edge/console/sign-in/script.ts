/** Shows a button to sign in with a passkey, if the browser supports passkeys. */
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from '@simplewebauthn/browser'
import { ask } from '../passkeys/ask.ts'
import { onPress } from '../passkeys/on-press.ts'

const section = document.getElementById('passkey')!
const button = section.querySelector('button')!
const status = document.getElementById('passkey-status')!

async function signIn(): Promise<void> {
  const optionsJSON = await ask<PublicKeyCredentialRequestOptionsJSON>(
    '/passkeys/sign-in-options',
    {},
  )
  const response = await startAuthentication({ optionsJSON })
  const given = section.dataset['next'] ?? '/'
  // The server has checked that `next` is a path of this site.
  const { next } = await ask<{ next: string }>('/passkeys/sign-in', { response, next: given })
  location.assign(next)
}

if (browserSupportsWebAuthn()) {
  const press = onPress({ button, status, waiting: 'Waiting for your passkey…' }, signIn)
  button.addEventListener('click', () => void press())
  section.hidden = false
}
