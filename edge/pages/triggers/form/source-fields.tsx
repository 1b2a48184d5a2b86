import type { FC } from 'hono/jsx'
import { Field, Select } from '../../../browser/components/form-fields.tsx'
import { WEBHOOK_SOURCE_NAMES, WEBHOOK_SOURCES } from '../../../../shared/wire/webhook-source.ts'
import { controlProps, type FormValues } from './problems.ts'

/** Sender of a webhook, and its secret. The server never sends a stored secret to the page. */
export const SourceFields: FC<FormValues> = (values) => (
  <>
    <Select
      label="Sender"
      hint="Requests without a valid signature of this sender are rejected."
      choices={CHOICES}
      {...controlProps(values, 'source')}
    />
    <Field
      name="webhook_secret"
      label="Webhook secret"
      hint="The sender’s signing secret or public key. It is stored encrypted and never shown again. Leave empty to keep the stored secret."
      type="password"
      autocomplete="new-password"
      maxlength={1024}
      error={values.problems.webhook_secret}
    />
    <details {...(isCustom(values) && { open: true })}>
      <summary>Signature of another sender</summary>
      <Field
        label="Signature header"
        hint="Contains the signature of the body, or the secret itself."
        maxlength={64}
        spellcheck={false}
        {...controlProps(values, 'source_header')}
      />
      <Select
        label="Encoding"
        choices={[
          ['', 'Hex'],
          ['base64', 'Base64'],
        ]}
        {...controlProps(values, 'source_encoding')}
      />
      <Field
        label="Prefix"
        hint="Text before the signature, such as sha256=. Optional."
        maxlength={32}
        spellcheck={false}
        {...controlProps(values, 'source_prefix')}
      />
    </details>
  </>
)

const CHOICES = [
  ['', 'Any: requests are not verified'],
  ...WEBHOOK_SOURCE_NAMES.map((name) => [name, WEBHOOK_SOURCES[name].title] as const),
  ['hmac_sha256', 'Another sender: HMAC-SHA256 of the body'],
  ['token', 'Another sender: secret in a header'],
] as const

const isCustom = ({ fields: { source } }: FormValues) =>
  source === 'hmac_sha256' || source === 'token'
