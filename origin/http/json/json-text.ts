import { paramsSchema } from '../../../shared/wire/action-call.ts'

/** A JSON object from a request body, stored as text. It is validated but not parsed. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Returns the parsed object. The OpenAPI description needs it to show default values. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** Variant of `paramsSchema` that accepts either a parsed object or JSON text. The result is always JSON text. */
const jsonTextSchema = paramsSchema.transform((params) =>
  params instanceof JsonText ? params : new JsonText(JSON.stringify(params)),
)

/** Schema of `js_params`, with `{}` as the default. */
export const paramsOrNone = jsonTextSchema.default(new JsonText('{}'))
