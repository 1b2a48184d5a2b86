import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  startRegistration,
} from '@simplewebauthn/browser'
import { postJson } from '../post-json.ts'
import { pressHandler } from '../passkeys/press-handler.ts'

const status = document.getElementById('passkey-status')!

/** Form for adding a passkey. Null if no passkey can be added, in which case the page shows the reason. */
const form = document.querySelector<HTMLFormElement>('form#add-passkey')

async function add(fields: FormData): Promise<void> {
  const csrf = fields.get('csrf')
  const optionsJSON = await postJson<PublicKeyCredentialCreationOptionsJSON>(
    '/passkeys/registration-options',
    { csrf },
  )
  const response = await startRegistration({ optionsJSON })
  await postJson('/passkeys', { csrf, name: fields.get('name'), response })
  location.assign('/account')
}

if (form && browserSupportsWebAuthn()) {
  const waiting = 'Waiting for your device…'
  const button = form.querySelector('button')!
  const press = pressHandler({ button, status, waiting }, () => add(new FormData(form)))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void press()
  })
  button.disabled = false
} else if (form) status.textContent = 'This browser does not support passkeys.'
