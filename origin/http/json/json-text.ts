import { paramsSchema } from '../../../shared/wire/action-call.ts'

/** An object of a request's body as JSON text: validated, but not parsed. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Used by the OpenAPI description, which shows default values. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** `paramsSchema` for an object that may be parsed or still JSON text. The result is always text. */
const jsonTextSchema = paramsSchema.transform((params) =>
  params instanceof JsonText ? params : new JsonText(JSON.stringify(params)),
)

/** `js_params`, with `{}` as the default. */
export const paramsOrNone = jsonTextSchema.default(new JsonText('{}'))
