// The package has no types of its own.
declare module 'subset-font' {
  export default function subsetFont(
    font: Uint8Array,
    characters: string,
    options: {
      readonly targetFormat: 'woff2'
      /** OpenType tags. */
      readonly keepFeatures: readonly string[]
      readonly preserveNameIds: readonly number[]
      readonly variationAxes?: Readonly<Record<string, { readonly min: number; readonly max: number }>>
    },
  ): Promise<Uint8Array>
}
