/** Names and addresses of the sandbox's people, country by country. */

/** First names, last names and addresses that fit together. */
export interface AddressBook {
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly streets: readonly string[];
  /** City, postal code, state or province. */
  readonly cities: readonly (readonly [string, string, string])[];
  /** Whether the house number stands before the street. */
  readonly isNumberFirst?: true;
}

const words = (text: string): string[] => text.split(" ");
const lines = (text: string): string[] => text.split(", ");

const germany: AddressBook = {
  first: words(
    "Mila Jonas Leyla Emil Frieda Anton Nele Kaan Ida Moritz Thea Jannik Clara Levi Rosa Oskar Alina Theo Paula Samir",
  ),
  last: words(
    "Vogel Brandt Yildiz Seidel Krüger Albers Nowak Hartwig Peters Lorenz Wieland Schubert Ebert Demir Kessler Behrens",
  ),
  streets: lines(
    "Lindenstraße, Gartenweg, Bergstraße, Am Markt, Schillerstraße, Mühlenweg, Ringstraße, Kastanienallee",
  ),
  cities: [
    ["Berlin", "10999", "Berlin"],
    ["Hamburg", "20357", "Hamburg"],
    ["Leipzig", "04109", "Sachsen"],
    ["Köln", "50674", "Nordrhein-Westfalen"],
    ["Freiburg", "79098", "Baden-Württemberg"],
    ["Bremen", "28203", "Bremen"],
    ["München", "80469", "Bayern"],
  ],
};

/** Countries with names of their own; people of another one have German names. */
const addressBooks: Readonly<Record<string, AddressBook>> = {
  DE: germany,
  AT: {
    ...germany,
    cities: [
      ["Wien", "1070", "Wien"],
      ["Graz", "8010", "Steiermark"],
      ["Linz", "4020", "Oberösterreich"],
    ],
  },
  GB: {
    first: words("Amelia Arthur Poppy Idris Freya Callum Nadia Rory Elsie Hamish Zara Owen"),
    last: words("Ashworth Bennett Clarke Hussain Fletcher Griffiths Mackay Okafor Pritchard Walsh"),
    streets: lines("Mill Lane, Station Road, Chapel Street, Victoria Terrace, Park Avenue"),
    cities: [
      ["Bristol", "BS1 4DJ", "England"],
      ["Leeds", "LS1 5AA", "England"],
      ["Cardiff", "CF10 1EP", "Wales"],
      ["Glasgow", "G1 3SL", "Scotland"],
    ],
    isNumberFirst: true,
  },
  FR: {
    first: words("Chloé Hugo Inès Lucas Manon Yanis Camille Rémi Louise Karim Élise Bastien"),
    last: words("Moreau Lefèvre Garnier Benali Rousseau Fontaine Chevalier Perrin Gauthier Colin"),
    streets: lines("rue des Lilas, avenue Jean Jaurès, rue du Moulin, place Carnot, rue Pasteur"),
    cities: [
      ["Lyon", "69003", "Auvergne-Rhône-Alpes"],
      ["Nantes", "44000", "Pays de la Loire"],
      ["Lille", "59000", "Hauts-de-France"],
    ],
    isNumberFirst: true,
  },
  ES: {
    first: words("Lucía Mateo Carmen Hugo Noa Álvaro Elena Iker Marta Pablo"),
    last: words("Navarro Ortega Serrano Vidal Molina Romero Ibáñez Castro Herrera Prieto"),
    streets: lines("Calle Mayor, Calle de Alcalá, Avenida del Puerto, Calle Real, Paseo del Prado"),
    cities: [
      ["Valencia", "46002", "Comunidad Valenciana"],
      ["Sevilla", "41001", "Andalucía"],
      ["Madrid", "28013", "Comunidad de Madrid"],
    ],
  },
  IT: {
    first: words("Giulia Leonardo Sofia Matteo Chiara Davide Elisa Pietro Marta Luca"),
    last: words("Ferri Marchetti Rinaldi Conti Gallo Barbieri Fontana Moretti Greco Sala"),
    streets: lines("Via Garibaldi, Via Roma, Corso Italia, Via Verdi, Via dei Mille"),
    cities: [
      ["Torino", "10121", "Piemonte"],
      ["Bologna", "40121", "Emilia-Romagna"],
      ["Napoli", "80133", "Campania"],
    ],
  },
  BR: {
    first: words("Ana Caio Beatriz Rafael Larissa Thiago Helena Bruno Júlia Vitor"),
    last: words("Almeida Barbosa Cardoso Nogueira Pereira Ramos Teixeira Vasconcelos Moura Lima"),
    streets: lines("Rua das Flores, Avenida Paulista, Rua Sete de Setembro, Rua XV de Novembro"),
    cities: [
      ["São Paulo", "01310-100", "SP"],
      ["Curitiba", "80020-310", "PR"],
      ["Recife", "50030-230", "PE"],
    ],
  },
  US: {
    first: words("Maya Ethan Naomi Caleb Ruby Marcus Hazel Diego Stella Wyatt"),
    last: words("Bishop Carter Delgado Foster Hayes Jensen Morgan Reyes Sutton Whitaker"),
    streets: lines("Maple Street, Cedar Avenue, Lakeview Drive, Hill Road, Union Street"),
    cities: [
      ["Portland", "97205", "OR"],
      ["Austin", "78701", "TX"],
      ["Madison", "53703", "WI"],
    ],
    isNumberFirst: true,
  },
};

/** The address book of a country. */
export const addressBookOf = (country: string): AddressBook => addressBooks[country] ?? germany;
