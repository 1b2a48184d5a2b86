/** The part of the payment processor's client library that the payment page uses (https://docs.stripe.com/js). */

type Elements = { create(type: 'payment'): { mount(place: string): void } }

type Confirmed = {
  /** Error message to show to the payer. */
  error?: { message?: string }
  paymentIntent?: { status: string }
}

type ProcessorClient = {
  elements(options: { clientSecret: string; appearance: { theme: 'stripe' | 'night' } }): Elements
  confirmPayment(options: {
    elements: Elements
    confirmParams: { return_url: string }
    redirect: 'if_required'
  }): Promise<Confirmed>
}

export type Processor = (publishableKey: string) => ProcessorClient

/**
 * Loads the payment processor's client library.
 * @throws {Error} with a message for the payer, if the library cannot be loaded
 */
export function loadProcessor(url: string): Promise<Processor> {
  const away = new Error('The payment processor could not be reached. Try again later.')
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = url
    script.addEventListener('error', () => reject(away))
    script.addEventListener('load', () => {
      const processor: unknown = Reflect.get(globalThis, 'Stripe')
      if (typeof processor === 'function') resolve(processor as Processor)
      else reject(away)
    })
    document.head.append(script)
  })
}
