# ruff: noqa: E501 (a table row is a line)
"""The world's countries: names, adjectives, capitals and well-known regions, as data.

A row is `name | adjectives | other names | regions | cities, the capital first`, the lists parted by commas. The parts of the United
Kingdom and the states before a reunification or a change of name belong to today's country, so that "English" and
"British" agree. States with no single successor stand for themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from tools.answer_rules.text import Token, words

_TABLE = """
Afghanistan|Afghan,Afghani|||Kabul
Albania|Albanian|||Tirana
Algeria|Algerian|||Algiers
Andorra|Andorran|||Andorra la Vella
Angola|Angolan|||Luanda
Antigua and Barbuda|Antiguan,Barbudan|Antigua||Saint John's
Argentina|Argentine,Argentinian,Argentinean|||Buenos Aires
Armenia|Armenian|||Yerevan
Australia|Australian,Aussie|Commonwealth of Australia|New South Wales,Victoria,Queensland,South Australia,Western Australia,Tasmania,Northern Territory,Australian Capital Territory|Canberra,Sydney,Melbourne,Brisbane,Perth,Adelaide
Austria|Austrian|Republic of Austria|Tyrol,Styria,Carinthia,Lower Austria,Upper Austria,Vorarlberg,Burgenland|Vienna
Azerbaijan|Azerbaijani,Azeri|||Baku
Bahamas|Bahamian|The Bahamas||Nassau
Bahrain|Bahraini|||Manama
Bangladesh|Bangladeshi|East Pakistan||Dhaka
Barbados|Barbadian,Bajan|||Bridgetown
Belarus|Belarusian,Belarussian,Byelorussian|Byelorussia||Minsk
Belgium|Belgian,Flemish,Walloon||Flanders,Wallonia,East Flanders,West Flanders,Hainaut|Brussels
Belize|Belizean|||Belmopan
Benin|Beninese|Dahomey||Porto-Novo
Bhutan|Bhutanese|||Thimphu
Bolivia|Bolivian|||La Paz,Sucre
Bosnia and Herzegovina|Bosnian,Herzegovinian|Bosnia,Bosnia-Herzegovina|Republika Srpska|Sarajevo
Botswana|Motswana,Botswanan|Bechuanaland||Gaborone
Brazil|Brazilian||Minas Gerais,Bahia,Mato Grosso,Mato Grosso do Sul,Parana,Santa Catarina,Goias|Brasilia,Rio de Janeiro
Brunei|Bruneian|||Bandar Seri Begawan
Bulgaria|Bulgarian|||Sofia
Burkina Faso|Burkinabe|Upper Volta||Ouagadougou
Burundi|Burundian|||Gitega
Cambodia|Cambodian,Khmer|Kampuchea||Phnom Penh
Cameroon|Cameroonian|||Yaounde
Canada|Canadian,Quebecois||Ontario,Quebec,British Columbia,Alberta,Manitoba,Saskatchewan,Nova Scotia,New Brunswick,Newfoundland,Newfoundland and Labrador,Prince Edward Island,Yukon,Nunavut,Northwest Territories|Ottawa,Toronto,Montreal,Vancouver
Cape Verde|Cape Verdean|Cabo Verde||Praia
Central African Republic|Central African|||Bangui
Chad|Chadian|||N'Djamena
Chile|Chilean|||Santiago
China|Chinese|People's Republic of China,PRC,Qing dynasty,Ming dynasty,Song dynasty,Tang dynasty,Han dynasty,Yuan dynasty,Republic of China|Guangdong,Sichuan,Zhejiang,Jiangsu,Shandong,Hunan,Hubei,Yunnan,Fujian,Jiangxi,Henan,Hebei,Shanxi,Shaanxi,Guangxi,Xinjiang,Inner Mongolia|Beijing,Shanghai
Colombia|Colombian|||Bogota
Comoros|Comorian|||Moroni
Costa Rica|Costa Rican|||San Jose
Croatia|Croatian,Croat||Dalmatia,Slavonia|Zagreb
Cuba|Cuban|||Havana
Cyprus|Cypriot|||Nicosia
Czech Republic|Czech|Czechia,Bohemia,Moravia||Prague
Democratic Republic of the Congo|Congolese|DR Congo,DRC,Zaire,Congo||Kinshasa
Denmark|Danish,Dane|Kingdom of Denmark|Jutland,Zealand,Funen|Copenhagen
Djibouti|Djiboutian|||Djibouti City
Dominica||||Roseau
Dominican Republic|Dominican|||Santo Domingo
East Timor|Timorese|Timor-Leste||Dili
Ecuador|Ecuadorian,Ecuadorean|||Quito
Egypt|Egyptian|United Arab Republic||Cairo
El Salvador|Salvadoran,Salvadorian|||San Salvador
Equatorial Guinea|Equatoguinean|||Malabo
Eritrea|Eritrean|||Asmara
Estonia|Estonian|||Tallinn
Eswatini|Swazi|Swaziland||Mbabane
Ethiopia|Ethiopian|Abyssinia||Addis Ababa
Fiji|Fijian|||Suva
Finland|Finnish,Finn|||Helsinki
France|French,Frenchman|French Republic,Kingdom of France|Normandy,Brittany,Burgundy,Provence,Alsace,Lorraine,Aquitaine,Picardy,Savoy,Corsica,Occitanie,Pas-de-Calais|Paris,Lyon,Marseille
Gabon|Gabonese|||Libreville
Gambia|Gambian|The Gambia||Banjul
Georgia|Georgian|Republic of Georgia||Tbilisi
Germany|German,Bavarian,Prussian|East Germany,West Germany,German Empire,Weimar Republic,Nazi Germany,German Democratic Republic,Federal Republic of Germany,GDR|Bavaria,Saxony,Hesse,Prussia,Westphalia,North Rhine-Westphalia,Baden-Wurttemberg,Lower Saxony,Thuringia,Brandenburg,Saxony-Anhalt,Schleswig-Holstein,Rhineland-Palatinate,Mecklenburg,Saarland|Berlin,Hamburg,Munich,Cologne
Ghana|Ghanaian|Gold Coast||Accra
Greece|Greek|Hellenic Republic|Crete,Macedonia (Greece),Peloponnese,Thessaly|Athens
Grenada|Grenadian|||Saint George's
Guatemala|Guatemalan|||Guatemala City
Guinea|Guinean|||Conakry
Guinea-Bissau|Bissau-Guinean|||Bissau
Guyana|Guyanese|British Guiana||Georgetown
Haiti|Haitian|||Port-au-Prince
Honduras|Honduran|||Tegucigalpa
Hong Kong|Hongkonger||Kowloon|
Hungary|Hungarian,Magyar|Kingdom of Hungary||Budapest
Iceland|Icelandic,Icelander|||Reykjavik
India|Indian|Republic of India,British India,British Raj|Tamil Nadu,Kerala,Karnataka,Andhra Pradesh,Telangana,Maharashtra,Gujarat,Rajasthan,Punjab India,Uttar Pradesh,Bihar,West Bengal,Odisha,Orissa,Assam,Madhya Pradesh,Haryana,Goa,Jharkhand,Chhattisgarh,Uttarakhand,Himachal Pradesh|New Delhi,Delhi,Mumbai,Bombay,Chennai,Madras,Kolkata,Calcutta,Hyderabad,Bangalore
Indonesia|Indonesian|Dutch East Indies|Java,Sumatra,Bali,Sulawesi,Kalimantan|Jakarta
Iran|Iranian,Persian|Persia,Islamic Republic of Iran|Khuzestan,Kerman Province,Razavi Khorasan,Fars Province,Gilan,Mazandaran|Tehran
Iraq|Iraqi||Kurdistan Region|Baghdad
Ireland|Irish,Irishman|Republic of Ireland,Irish Free State|County Cork,County Kerry,County Galway,County Mayo,Munster,Leinster,Connacht|Dublin
Israel|Israeli|||Jerusalem,Tel Aviv
Italy|Italian,Sicilian,Neapolitan,Florentine|Kingdom of Italy|Sicily,Sardinia,Tuscany,Lombardy,Piedmont,Veneto,Campania,Calabria,Apulia,Emilia-Romagna,Liguria,Umbria,Abruzzo|Rome,Milan,Naples,Turin
Ivory Coast|Ivorian|Cote d'Ivoire||Yamoussoukro
Jamaica|Jamaican|||Kingston
Japan|Japanese|Empire of Japan|Hokkaido,Honshu,Kyushu,Shikoku,Okinawa|Tokyo,Osaka,Kyoto
Jordan|Jordanian|Transjordan||Amman
Kazakhstan|Kazakh,Kazakhstani|||Astana
Kenya|Kenyan|||Nairobi
Kiribati|I-Kiribati|||Tarawa
Kosovo|Kosovar,Kosovan|||Pristina
Kuwait|Kuwaiti|||Kuwait City
Kyrgyzstan|Kyrgyz,Kyrgyzstani|||Bishkek
Laos|Lao,Laotian|||Vientiane
Latvia|Latvian|||Riga
Lebanon|Lebanese|||Beirut
Lesotho|Mosotho,Basotho|Basutoland||Maseru
Liberia|Liberian|||Monrovia
Libya|Libyan|||Tripoli
Liechtenstein|Liechtensteiner|||Vaduz
Lithuania|Lithuanian|||Vilnius
Luxembourg|Luxembourgish,Luxembourger|||Luxembourg City
Macau|Macanese|Macao||
Madagascar|Malagasy|||Antananarivo
Malawi|Malawian|Nyasaland||Lilongwe
Malaysia|Malaysian,Malay|Malaya|Sabah,Sarawak,Selangor,Johor,Penang,Perak|Kuala Lumpur
Maldives|Maldivian|||Male
Mali|Malian|||Bamako
Malta|Maltese|||Valletta
Marshall Islands|Marshallese|||Majuro
Mauritania|Mauritanian|||Nouakchott
Mauritius|Mauritian|||Port Louis
Mexico|Mexican||Jalisco,Chihuahua,Sonora,Veracruz,Oaxaca,Chiapas,Yucatan|Mexico City,Guadalajara
Micronesia|Micronesian|Federated States of Micronesia||Palikir
Moldova|Moldovan|Moldavia||Chisinau
Monaco|Monegasque|||Monte Carlo
Mongolia|Mongolian,Mongol|||Ulaanbaatar
Montenegro|Montenegrin|||Podgorica
Morocco|Moroccan|||Rabat
Mozambique|Mozambican|||Maputo
Myanmar|Burmese|Burma||Naypyidaw,Yangon,Rangoon
Namibia|Namibian|South West Africa||Windhoek
Nauru|Nauruan|||Yaren
Nepal|Nepali,Nepalese|||Kathmandu
Netherlands|Dutch,Dutchman,Netherlandish|The Netherlands,Holland,Dutch Republic|North Holland,South Holland,Utrecht,Friesland,Gelderland,Limburg,North Brabant|Amsterdam,Rotterdam
New Zealand|New Zealander,Kiwi||Otago,Canterbury New Zealand,Waikato|Wellington,Auckland,Christchurch
Nicaragua|Nicaraguan|||Managua
Niger|Nigerien|||Niamey
Nigeria|Nigerian|||Abuja,Lagos
North Korea|North Korean|Democratic People's Republic of Korea,DPRK||Pyongyang
North Macedonia|Macedonian|Macedonia,Republic of Macedonia||Skopje
Norway|Norwegian|||Oslo
Oman|Omani|||Muscat
Pakistan|Pakistani|West Pakistan|Sindh,Balochistan,Khyber Pakhtunkhwa|Islamabad,Karachi,Lahore
Palau|Palauan|||Ngerulmud
Palestine|Palestinian|State of Palestine,Mandatory Palestine|Gaza Strip,West Bank|Ramallah
Panama|Panamanian|||Panama City
Papua New Guinea|Papua New Guinean|||Port Moresby
Paraguay|Paraguayan|||Asuncion
Peru|Peruvian|||Lima
Philippines|Filipino,Philippine,Filipina|The Philippines|Luzon,Mindanao,Cebu|Manila
Poland|Polish,Pole|Kingdom of Poland|Silesia,Masovia,Galicia Poland|Warsaw
Portugal|Portuguese||Azores,Madeira,Algarve|Lisbon
Puerto Rico|Puerto Rican|||San Juan
Qatar|Qatari|||Doha
Republic of the Congo|Congolese (Brazzaville)|Congo-Brazzaville||Brazzaville
Romania|Romanian,Rumanian|Wallachia|Transylvania|Bucharest
Russia|Russian|Russian Federation,Russian Empire,Tsardom of Russia|Siberia,Tatarstan,Bashkortostan,Dagestan|Moscow,Saint Petersburg,St. Petersburg,Leningrad
Rwanda|Rwandan|||Kigali
Saint Kitts and Nevis|Kittitian,Nevisian|||Basseterre
Saint Lucia|Saint Lucian|St. Lucia||Castries
Saint Vincent and the Grenadines|Vincentian|St. Vincent||Kingstown
Samoa|Samoan|Western Samoa||Apia
San Marino|Sammarinese|||
Sao Tome and Principe|Santomean|||Sao Tome
Saudi Arabia|Saudi,Saudi Arabian|||Riyadh,Mecca,Medina
Senegal|Senegalese|||Dakar
Serbia|Serbian,Serb||Vojvodina|Belgrade
Seychelles|Seychellois|||Victoria Seychelles
Sierra Leone|Sierra Leonean|||Freetown
Singapore|Singaporean|||
Slovakia|Slovak,Slovakian|||Bratislava
Slovenia|Slovene,Slovenian|||Ljubljana
Solomon Islands|Solomon Islander|||Honiara
Somalia|Somali,Somalian|Somaliland||Mogadishu
South Africa|South African|Union of South Africa|Transvaal,Gauteng,KwaZulu-Natal,Western Cape,Eastern Cape|Pretoria,Cape Town,Johannesburg,Durban
South Korea|South Korean,Korean|Republic of Korea,Korea||Seoul,Busan,Incheon
South Sudan|South Sudanese|||Juba
Soviet Union|Soviet|USSR,U.S.S.R.||
Spain|Spanish,Spaniard,Catalan,Basque|Kingdom of Spain|Catalonia,Andalusia,Aragon,Castile,Galicia,Basque Country,Navarre,Asturias,Valencia,Murcia,Extremadura,Canary Islands|Madrid,Barcelona
Sri Lanka|Sri Lankan,Ceylonese|Ceylon||Colombo
Sudan|Sudanese|||Khartoum
Suriname|Surinamese|Dutch Guiana||Paramaribo
Sweden|Swedish,Swede||Scania|Stockholm,Gothenburg
Switzerland|Swiss||Ticino|Bern,Zurich,Geneva,Basel,Lausanne
Syria|Syrian|||Damascus,Aleppo
Taiwan|Taiwanese|Republic of China (Taiwan),Formosa||Taipei
Tajikistan|Tajik,Tajikistani|||Dushanbe
Tanzania|Tanzanian|Tanganyika,Zanzibar||Dodoma
Thailand|Thai|Siam||Bangkok
Togo|Togolese|||Lome
Tonga|Tongan|||Nuku'alofa
Trinidad and Tobago|Trinidadian,Tobagonian,Trinbagonian|Trinidad||Port of Spain
Tunisia|Tunisian|||Tunis
Turkey|Turkish,Turk|Turkiye|Anatolia|Ankara,Istanbul
Turkmenistan|Turkmen|||Ashgabat
Tuvalu|Tuvaluan|||Funafuti
Uganda|Ugandan|||Kampala
Ukraine|Ukrainian|Ukrainian SSR|Crimea|Kyiv,Kiev,Lviv,Odessa,Kharkiv
United Arab Emirates|Emirati|UAE||Abu Dhabi,Dubai
United Kingdom|British,English,Scottish,Welsh,Briton,Englishman,Scot,Northern Irish|UK,U.K.,Great Britain,Britain,England,Scotland,Wales,Northern Ireland,Kingdom of England,Kingdom of Great Britain,Kingdom of Scotland|Yorkshire,Kent,Essex,Sussex,Surrey,Cornwall,Devon,Dorset,Somerset,Lancashire,Cheshire,Norfolk,Suffolk,Hampshire,Cumbria,Wiltshire,Oxfordshire,Cambridgeshire,Derbyshire,Staffordshire,Warwickshire,Nottinghamshire,Lincolnshire,Leicestershire,Northumberland,Hertfordshire|London,Glasgow,Edinburgh,Manchester,Liverpool,Cardiff
United States|American,Californian,Texan|USA,U.S.,U.S.A.,US,United States of America,America|Alabama,Alaska,Arizona,Arkansas,California,Colorado,Connecticut,Delaware,Florida,Georgia U.S.,Hawaii,Idaho,Illinois,Indiana,Iowa,Kansas,Kentucky,Louisiana,Maine,Maryland,Massachusetts,Michigan,Minnesota,Mississippi,Missouri,Montana,Nebraska,Nevada,New Hampshire,New Jersey,New Mexico,New York,North Carolina,North Dakota,Ohio,Oklahoma,Oregon,Pennsylvania,Rhode Island,South Carolina,South Dakota,Tennessee,Texas,Utah,Vermont,Virginia,West Virginia,Wisconsin,Wyoming|New York City,Washington D.C.,Los Angeles,Chicago,Brooklyn,Hollywood,San Francisco,Boston,Philadelphia
Uruguay|Uruguayan|||Montevideo
Uzbekistan|Uzbek,Uzbekistani|||Tashkent
Vanuatu|Ni-Vanuatu|New Hebrides||Port Vila
Vatican City|Vatican|Holy See||
Venezuela|Venezuelan|||Caracas
Vietnam|Vietnamese|South Vietnam,North Vietnam||Hanoi,Saigon,Ho Chi Minh City
Yemen|Yemeni|||Sanaa
Zambia|Zambian|Northern Rhodesia||Lusaka
Zimbabwe|Zimbabwean|Rhodesia||Harare
American Samoa||||Pago Pago
Anguilla|Anguillian|||
Aruba|Aruban|||Oranjestad
Bermuda|Bermudian|||Hamilton Bermuda
British Virgin Islands||||
Cayman Islands|Caymanian|||
Cook Islands||||
Curacao||||Willemstad
Falkland Islands|Falkland Islander|||
Faroe Islands|Faroese|||
French Guiana||||Cayenne
French Polynesia||Tahiti||
Gibraltar|Gibraltarian|||
Greenland|Greenlandic|||Nuuk
Guadeloupe||||
Guam|Guamanian|||
Isle of Man|Manx|||
Martinique|Martinican|||
Montserrat||||
New Caledonia|New Caledonian|||
Turks and Caicos Islands||||
United States Virgin Islands||U.S. Virgin Islands,US Virgin Islands||
Western Sahara|Sahrawi|||
Abbasid Caliphate|Abbasid|||
Ancient Rome|Roman|Roman Empire,Roman Republic||
Austria-Hungary|Austro-Hungarian|Austro-Hungarian Empire||
Byzantine Empire|Byzantine|||
Carthage|Carthaginian|||
Czechoslovakia|Czechoslovak,Czechoslovakian|||
Fatimid Caliphate|Fatimid|||
Frankish Empire|Frankish|Francia,Kingdom of the Franks||
Holy Roman Empire||Holy Roman Empire of the German Nation||
Kingdom of Hawaii|Hawaiian|Kingdom of Hawai'i||
Macedon||||Pella
Mughal Empire|Mughal|Moghul Empire||
Ottoman Empire|Ottoman|||
Papal States|Papal|||
Polish-Lithuanian Commonwealth|Polish-Lithuanian|Polish–Lithuanian Commonwealth||
Republic of Venice|Venetian|Venice||
Safavid Empire|Safavid|||
Sasanian Empire|Sasanian,Sassanid|||
Seleucid Empire|Seleucid|||
Timurid Empire|Timurid|||
Umayyad Caliphate|Umayyad|||
Yugoslavia|Yugoslav,Yugoslavian|Kingdom of Yugoslavia||
"""


Form = Literal["name", "adjective", "region", "city"]


@dataclass(frozen=True, slots=True)
class CountryMention:
    """A country named in a text at [start, end): by name, by adjective, or by a region or city of it."""

    start: int
    end: int
    country: str
    form: Form


@dataclass(frozen=True, slots=True)
class _Entry:
    country: str
    form: Form


@cache
def _entries() -> dict[tuple[str, ...], _Entry]:
    """Every known form by its folded words; where two countries share one, the first row has it."""
    table: dict[tuple[str, ...], _Entry] = {}
    rows = [line.split("|") for line in _TABLE.strip().splitlines()]
    for name, adjectives, others, _, _ in rows:
        for form in (name, *others.split(",")):
            table.setdefault(tuple(words(form)), _Entry(name, "name"))
        for form in adjectives.split(","):
            table.setdefault(tuple(words(form)), _Entry(name, "adjective"))
    for name, _, _, regions, cities in rows:
        for form in regions.split(","):
            table.setdefault(tuple(words(form)), _Entry(name, "region"))
        for form in cities.split(","):
            table.setdefault(tuple(words(form)), _Entry(name, "city"))
    table.pop((), None)
    return table


@cache
def _longest_by_first_word() -> dict[str, int]:
    longest: dict[str, int] = {}
    for form in _entries():
        longest[form[0]] = max(len(form), longest.get(form[0], 0))
    return longest


def country_mentions(tokens: Sequence[Token]) -> list[CountryMention]:
    """The countries that capitalised words name, in order, the longest form first ("Papua New Guinea")."""
    found: list[CountryMention] = []
    longest, table = _longest_by_first_word(), _entries()
    i = 0
    while i < len(tokens):
        step = 1
        token = tokens[i]
        if token.text[0].isupper() and token.word in longest:
            for length in range(min(longest[token.word], len(tokens) - i), 0, -1):
                entry = table.get(tuple(other.word for other in tokens[i : i + length]))
                if entry and not (token.text.isupper() and token.word == "us" and len(token.text) != 2):
                    found.append(CountryMention(token.start, tokens[i + length - 1].end, entry.country, entry.form))
                    step = length
                    break
        i += step
    return found


def country_of(text: str) -> str:
    """The country that a name or an adjective stands for ("Dutch" gives "Netherlands"), or "" where none is known."""
    entry = _entries().get(tuple(words(text)))
    if entry is None and text.casefold().startswith("the "):
        entry = _entries().get(tuple(words(text[4:])))
    return entry.country if entry else ""


def form_of(text: str) -> Form | None:
    """What a text is to the country that it stands for: "Dutch" an adjective, "Ohio" a region; None for other texts."""
    entry = _entries().get(tuple(words(text)))
    return entry.form if entry else None


def is_adjective(text: str) -> bool:
    """Whether a text is the adjective of a country ("Dutch")."""
    return form_of(text) == "adjective"


@cache
def _demonyms() -> frozenset[str]:
    return frozenset(form[0] for form, entry in _entries().items() if entry.form == "adjective" and len(form) == 1)


def is_demonym(word: str) -> bool:
    """Whether a single word is the adjective of a country."""
    return word.casefold() in _demonyms()
