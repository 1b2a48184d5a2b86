import { paramsSchema } from '../../../shared/wire/action-call.ts'

/** An object of a request's body as its JSON text, checked to be JSON and not read. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** For the API's description, which shows the default of a field. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** `paramsSchema`, whose object may have been left as text, and is text in either case. */
const jsonTextSchema = paramsSchema.transform((params) =>
  params instanceof JsonText ? params : new JsonText(JSON.stringify(params)),
)

/** `js_params`, which may be left out. */
export const paramsOrNone = jsonTextSchema.default(new JsonText('{}'))
