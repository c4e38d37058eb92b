"""What the names of attributes say, in English and, for common words, four other languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

from divulge.table.schema import Role


@dataclass(frozen=True)
class Meaning:
    """What a word in a name says, and the role of attributes that are called so.

    A ``vague`` word is one to believe only at the end of a name and where values differ: a number may have
    been given out to someone, or be a count. ``names`` says of an identifier whether it leads to a person
    for anyone, or only for who holds the list. What is ``shared`` belongs to several people at once.
    """

    says: str
    role: Role
    vague: bool = False
    names: bool = True
    shared: bool = False


PERSON = Meaning("a person's name", Role.IDENTIFIER)
FREE_TEXT = Meaning("free text", Role.IDENTIFIER, vague=True)
WEIGHT = Meaning("a weight, perhaps how many people a record stands for", Role.OTHER)


def meanings(name: str) -> list[Meaning]:
    """What an attribute's name says, what counts most first.

    Names are made of words, and of a name's words the longest known run counts most, then the last: a
    'birth date' is a date of birth, and a 'diagnosis date' a date. What follows an 'of' or an 'at' counts
    least, as in 'age at diagnosis'.

    >>> [meaning.says for meaning in meanings("ageAtDiagnosis")]
    ['a date of birth or an age', 'health']
    """
    words = _close(words_of(name))
    head = next((place for place, word in enumerate(words) if place and word in _LINKS), len(words))
    found = sorted(_runs(words), key=lambda run: (run[0] < head, run[1] - run[0], run[1]), reverse=True)
    return list(dict.fromkeys(_KNOWN["".join(words[first:last])] for first, last in found))


def of_household(name: str) -> bool:
    """Whether a name says first of all the number of a household.

    >>> of_household("ori_hid"), of_household("HouseholdNumber"), of_household("household size")
    (True, True, False)
    """
    return any(meaning.shared for meaning in meanings(name)[:1])


def of_weights(name: str) -> bool:
    """Whether a name says first of all how many people a record stands for.

    >>> of_weights("sampling_weight"), of_weights("WEIGHT"), of_weights("region")
    (True, True, False)
    """
    return any(meaning is WEIGHT for meaning in meanings(name)[:1])


def of_people(name: str) -> bool:
    """Whether a name says first of all that it numbers the people whom the records are about.

    A visit has a number of its own, and a doctor treats many people.

    >>> of_people("patient_id"), of_people("visit_id"), of_people("doctor"), of_people("name")
    (True, False, False, False)
    """
    first = [meaning.says for meaning in meanings(name)[:1]]
    apart = {*_OTHER_PEOPLE, *_EVENTS}
    return _OF_PERSONS.issuperset(first) and bool(first) and apart.isdisjoint(words_of(name))


def of_names(name: str) -> Literal["surely", "perhaps"] | None:
    """Whether a name says first of all that values are names of people; one word such as 'name' says perhaps.

    >>> of_names("vorname_kind"), of_names("Name"), of_names("brand name"), of_names("patient name")
    ('surely', 'perhaps', None, 'surely')
    """
    if meanings(name)[:1] != [PERSON]:
        return None
    return "perhaps" if "".join(words_of(name)) in _PERHAPS else "surely"


def of_free_text(name: str) -> bool:
    """Whether a name says first of all that values were written freely.

    >>> of_free_text("Remarks"), of_free_text("Patientennotiz"), of_free_text("banknote")
    (True, True, False)
    """
    return meanings(name)[:1] == [FREE_TEXT] or "".join(split(name)[-1:]).endswith(_REMARKS)


def naming(name: str) -> Meaning | None:
    """What the end of a name says where nothing else in it is known: the number or the name of something.

    >>> naming("UTILITYID").says, naming("UTILNAME").says, naming("PRODUCT_PRICE")
    ('a running or assigned number', 'the name of someone or something', None)
    """
    *rest, last = words_of(name) or [""]
    if not rest or any(part in _KNOWN for part in rest):
        return None
    if last in _NAMES:
        return _OF_SOMETHING
    return _KNOWN[last] if last in ("id", "identifier", "uid", "kennung") else None


def split(name: str) -> list[str]:
    """The words of a name in small plain letters: split at case, digits, spaces and signs.

    >>> split("DateOfBirth"), split("marital-status"), split("IPAddress2"), split("prénom")
    (['date', 'of', 'birth'], ['marital', 'status'], ['ip', 'address'], ['prenom'])
    """
    spelled = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(c for c in spelled if not unicodedata.combining(c))
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return re.findall(r"[^\W\d_]+", parted.casefold())


def words_of(name: str) -> list[str]:
    """The words of a name, in the singular, and apart where two known ones were written together.

    >>> words_of("zipcode"), words_of("HomePhones")
    (['zip', 'code'], ['home', 'phone'])
    """
    return [part for word in split(name) for part in _parts(word)]


def _close(words: list[str]) -> list[str]:
    """The words, without those between 'name' and whose it is, as in the name of the patient."""
    if len(words) < 3 or words[0] not in _NAMES:
        return words
    rest = [word for word in words[1:] if word not in _LINKS and word not in _ARTICLES]
    return [words[0], *rest] if rest and words[0] + rest[0] in _KNOWN else words


def _parts(word: str) -> tuple[str, ...]:
    """The word, its singular, or the two known ones that were written together in it, as in 'zipcode'."""
    if word in _KNOWN or word in _FILLERS:
        return (word,)
    if word.endswith("s") and word[:-1] in _KNOWN:
        return (word[:-1],)
    for cut in range(3, len(word) - 1):
        first, second = word[:cut], word[cut:]
        if first in _KNOWN and first not in _ALONE and (second in _KNOWN or second in _FILLERS):
            return first, second
    return _ending(word)


def _ending(word: str) -> tuple[str, ...]:
    """The word, or what it is of and the number or name that it ends in, as in 'utilityid'."""
    for last in ("id", *_NAMES):
        if word.endswith(last) and len(word) >= len(last) + 3 and word not in _NO_NUMBERS:
            return word.removesuffix(last), last
    return (word,)


def _runs(words: list[str]) -> Iterator[tuple[int, int]]:
    """Where known runs of words begin and end."""
    end = len(words)
    for first, last in combinations(range(end + 1), 2):
        run = "".join(words[first:last])
        if run not in _KNOWN or (run in _ALONE and (first, last) != (0, end)):
            continue
        if last == end or not (_KNOWN[run].vague or run in _LAST):
            yield first, last


def runs_listed(text: str) -> tuple[str, ...]:
    return tuple("".join(run.split()) for run in text.split(","))


_LINKS = runs_listed(
    "of, at, in, by, per, for, from, since, until, von, am, im, bei, du, de, des, della, del, di, da"
)
_ARTICLES = runs_listed("the, der, die, das, la, le, el, il, do, dos")
_FILLERS = runs_listed(
    "band, cat, category, class, code, date, desc, flag, group, level, range, status, type, years"
)
# Words that say something only at the end: 'working years' are no date.
_LAST = runs_listed("year, month")
_PEOPLE = runs_listed("""
    patient, person, customer, cust, client, user, member, employee, emp, staff, worker, student, pupil,
    teacher, subject, participant, respondent, passenger, driver, applicant, borrower, owner, tenant, donor,
    resident, citizen, voter, victim, offender, defendant, inmate, mother, father, parent, child, spouse,
    candidate, subscriber, beneficiary, doctor, physician, nurse, provider, holder, individual, kunde,
    kunden, patienten, personen, mitarbeiter, schueler, schuler, studenten, mitglied, mitglieder, benutzer,
    salarie, employe, etudiant, eleve, assure, cliente, paciente, empleado, alumno, usuario, socio,
    paziente, dipendente, studente, utente
""")
# People whom several records may name though these are about others, and what one person may have several of.
_OTHER_PEOPLE = runs_listed("""
    doctor, physician, nurse, provider, teacher, staff, mother, father, parent, spouse
""")
_EVENTS = runs_listed("encounter, admission, visit, stay, icustay, case, hadm, fallnummer, contract, policy")
_OF_PERSONS = {
    "a person's number or user name in a system",
    "an official number of a person",
    "an account, a card or a contract of a person",
}
_NUMBERS = runs_listed("id, identifier, number, no, nr, num, key, code, ref, uid, nummer, kennung, numero")
_NAMES = runs_listed("name, nom, nombre, nome, naam, navn, namn")
_REMARKS = (
    "bemerkung",
    "bemerkungen",
    "anmerkung",
    "anmerkungen",
    "kommentar",
    "notiz",
    "notizen",
    "freitext",
)
# People of whom a table has names, and whose number would be something else: 'insured' may count them.
_NAMED = runs_listed("""
    insured, contact, next of kin, versicherter, versicherte, versicherten, arzt, hausarzt, mutter, vater,
    eltern, ehegatten, partner, betreuer, sachbearbeiter, kontakt, medecin, medico, asegurado, assegurado
""")
# Words that end in 'id' and are no one's number.
_NO_NUMBERS = runs_listed("""
    paid, unpaid, prepaid, repaid, medicaid, valid, invalid, grid, acid, fluid, liquid, solid, lipid, hybrid,
    rapid, humid, void, avoid, thyroid, steroid, opioid, rheumatoid, typhoid, haemorrhoid, hemorrhoid,
    android, covid, bid, madrid, corticosteroid, asteroid, celluloid, plaid, candid, squid, rigid, vivid
""")
# Words that say something only where they are the whole name: a 'product name' is no person's.
_PERHAPS = {*_NAMES, "first", "last", "alias", "initials", "signature"}
_ALONE = {*_PEOPLE, *_NAMES, *runs_listed("first, last, cap, land, record, st, mar, dis, cit, cow")}

_WORDS: dict[Meaning, str] = {
    PERSON: """
        name, naam, navn, namn, first, last, full name, nickname, alias, initials, signature, first name,
        forename, given name, middle name, last name, surname, family name, maiden name, birth name, fname,
        lname, vorname, vornamen, rufname, nachname, nachnamen, familienname, zuname, geburtsname,
        madchenname, ehename, nom, prenom, nom de famille, nom de naissance, nom de jeune fille, nom
        patronymique, nom usuel, nombre, apellido, apellidos, primer apellido, segundo apellido, nombre
        completo, nome, nome completo, cognome, cognomi, nominativo, sobrenome, apelido, voornaam,
        voornamen, achternaam, familienaam, imie, imiona, nazwisko, nazwiska, fornavn, efternavn, etternavn,
        fornamn, efternamn, etunimi, sukunimi, jmeno, prijmeni, keresztnev, vezeteknev, prenume
    """,
    Meaning("contact details of a person", Role.IDENTIFIER): """
        email, mail, phone, telephone, tel, mobile, fax, address, addr, house number, twitter, facebook,
        instagram, linkedin, homepage, website, adresse, anschrift, hausnummer, telefon, telefonnummer,
        handy, handynummer, courriel, portable, direccion, domicilio, correo, telefono, movil, indirizzo,
        cellulare
    """,
    Meaning("an official number of a person", Role.IDENTIFIER): """
        ssn, social security, social insurance number, national id, national number, nino, national
        insurance number, nhs number, passport, identity card, id card, driver license, driving licence,
        drivers license, drivers licence, license number, licence number, hack license, plate, tax id, tax
        number, tin, itin, voter id, steuer id, steuernummer, steueridentifikationsnummer, ausweisnummer,
        personalausweis, reisepass, sozialversicherungsnummer, versichertennummer,
        krankenversicherungsnummer, krankenversichertennummer, versicherten nr, versicherten id, vers nr,
        versicherungsnummer, versicherungs nr, kvnr, kv nr, kv nummer, health insurance number, kennzeichen,
        nir, insee, numero de securite sociale, numero securite
        sociale, passeport, dni, nie, nif, pasaporte, codice fiscale, passaporto, aadhaar, cpf,
        personnummer, bsn
    """,
    Meaning("an account, a card or a contract of a person", Role.IDENTIFIER): """
        iban, account number, account no, account id, bank account, card number, cc number, ccn, policy
        number, policy no, contract number, loan number, membership number, kontonummer, kartennummer,
        vertragsnummer, kundennummer, mitgliedsnummer, numero de compte, numero de cuenta, numero de tarjeta
    """,
    Meaning("a person's number or user name in a system", Role.IDENTIFIER): """
        mrn, medical record, hospital number, record number, chart number, login, username, screen name,
        handle, patientennummer, personalnummer, matrikelnummer, matricule, medallion
    """,
    Meaning("a person's number or user name in a system", Role.IDENTIFIER, names=False): """
        pid, sid, uid, userid, hadm id, icustay id, encounter id, admission id, visit id, stay id, case id,
        case number, fallnummer, identificativo, identifiant, identificador
    """,
    Meaning("the number of a household", Role.IDENTIFIER, names=False, shared=True): """
        hhid, hid, hh id, hhno, hhnr, hhnum, hh no, hh nr, hh num, hh number, household id, household no,
        household nr, household num, household number, household key, household identifier, family id,
        family number, haushaltsnummer, haushalt id, haushalts id, haushalt nr, id menage, numero menage,
        id hogar, numero hogar, id famiglia, numero famiglia
    """,
    Meaning("a device or connection of a person", Role.IDENTIFIER): """
        ip, ip address, mac address, device id, imei, imsi, msisdn, serial number, serial no, vin, cookie,
        advertising id, session id, fingerprint
    """,
    Meaning("a running or assigned number", Role.IDENTIFIER, vague=True, names=False): """
        id, identifier, number, no, nr, key, ref, reference, guid, uuid, index, idx, row, row number,
        record, record id, serial, seqn, sequence, hash, token, pseudonym, ticket, transaction, order,
        invoice, nummer, kennung, kennziffer, laufende nummer, numero, matricola, clave, cle, chiave
    """,
    FREE_TEXT: """
        comment, remark, note, notes, memo, free text, narrative, feedback, bemerkung, bemerkungen,
        anmerkung, anmerkungen, kommentar, kommentare, freitext, notiz, notizen, vermerk, vermerke, remarque,
        commentaire, comentario, observacion, observaciones, notas, osservazione, osservazioni, commento,
        commenti, opmerking, opmerkingen, toelichting, uwagi, bemaerkning
    """,
    WEIGHT: """
        weight, wt, wgt, fnlwgt, afnlwgt, expansion factor, perwt, hhwt, pwgtp, wgtp, pweight, gewicht,
        gewichtung, poids, ponderation, peso, factor de expansion
    """,
    Meaning("the time when the record was written", Role.OTHER): """
        updated, update date, modified, created, loaded, load date, inserted, extracted, extract date,
        created date, modified date, updated date, creation date, modification date
    """,
    Meaning("health", Role.SENSITIVE): """
        diagnosis, health, diag, dx, disease, illness, disorder, syndrome, symptom, condition, comorbidity,
        icd, drg, hiv, aids, hepatitis, cancer, tumor, tumour, diabetes, diabetic, stroke, hypertension,
        asthma, covid, infection, treatment, therapy, medication, medicine, drug, prescription, dose,
        surgery, procedure, operation, vaccination, vaccine, result, pregnancy, pregnant, disability,
        disabled, handicap, allergy, allergies, mental, depression, anxiety, smoker, smoking, tobacco,
        alcohol, substance, addiction, blood pressure, blood type, blood group, cholesterol, ldl, hdl,
        glucose, hba c, bmi, body mass index, heart rate, pulse, death, death date, date of death, dod,
        deceased, died, dead, mortality, survived, survival, vital status, expire flag, injury, suicide,
        abortion, diagnose, krankheit, erkrankung, befund, behandlung, therapie, medikament, medikamente,
        arzneimittel, todesursache, schwangerschaft, behinderung, raucher, maladie, diagnostic, traitement,
        medicament, grossesse, deces, enfermedad, diagnostico, tratamiento, medicamento, medicacion,
        embarazo, discapacidad, fallecido, malattia, diagnosi, trattamento, terapia, farmaco, farmaci,
        gravidanza, disabilita, decesso, hipertension, alcoholism, insulin, readmitted, readmission, bp,
        chol, chd, cigs, cigarette, cigarettes, meds, medikation, alergia, hicov, ridexprg, dis, bmxbmi
    """,
    Meaning("income or money", Role.SENSITIVE): """
        income, salary, salaries, wage, pay, earning, compensation, bonus, capital gain, capital loss, tax,
        taxes, debt, asset, savings, wealth, net worth, credit, credit score, loan, balance, mortgage, rent,
        expenditure, expend, expenses, spending, benefit, welfare, pension, default, bankruptcy, purchase
        amount, money, denial reason, turnover, revenue, einkommen, gehalt, lohn, verdienst, vermogen,
        schulden, kredit, miete, rente, ersparnisse, revenu, salaire, dette, impot, loyer, epargne, salario,
        sueldo, deuda, renta, reddito, stipendio, debito, risparmi, checking status, checking account, daily
        rate, hourly rate, monthly rate, inc, dti, delinq, delinquency, bal, revol bal, scholarship, pincp,
        wagp, indhhin, indfmpir
    """,
    Meaning("a belief or a membership", Role.SENSITIVE): """
        religion, religious, faith, belief, denomination, confession, church, political, politics, party,
        ideology, vote, voted, voting, union, konfession, religionszugehorigkeit, partei, gewerkschaft,
        parti, syndicat, religione, partido, sindicato, partito, sindacato
    """,
    Meaning("private life or genetic data", Role.SENSITIVE): """
        orientation, sexuality, sexual, sex life, gender identity, genetic, genome, genotype, gene, dna,
        mutation, biometric, haplotype
    """,
    Meaning("offences or court decisions", Role.SENSITIVE): """
        conviction, convicted, criminal, crime, offense, offence, charge, charge degree, arrest, arrested,
        felony, misdemeanor, prior, recid, recidivism, sentence, prison, jail, probation, parole, decile
        score, primary type, vorstrafe, vorstrafen, straftat, condamnation, infraction, delito, condena,
        reato, condanna, fel count, misd count, jail time
    """,
    Meaning("an evaluation of a person", Role.SENSITIVE): """
        grade, gpa, mark, score, exam, performance, rating, evaluation, appraisal, attrition, dismissal,
        termination reason, absences, disciplinary, iq, zeugnisnote, calificacion, votazione, failure, voti
    """,
    Meaning("sex or gender", Role.QUASI_IDENTIFIER): """
        sex, gender, geschlecht, anrede, sexe, genre, civilite, sexo, genero, sesso, genere, male, female,
        riagendr
    """,
    Meaning("a date of birth or an age", Role.QUASI_IDENTIFIER): """
        age, date of birth, birth date, birthday, dob, year of birth, birth year, yob, month of birth, birth
        month, born, alter, altersgruppe, geburtsdatum, geburtsjahr, geburtstag, geburtsmonat, geboren, date
        de naissance, annee de naissance, naissance, fecha de nacimiento, ano de nacimiento, nacimiento,
        edad, anno di nascita, nascita, eta, birth, senior citizen, agep, ridageyr
    """,
    Meaning("a postcode", Role.QUASI_IDENTIFIER): """
        zip, postcode, postal, plz, postleitzahl, cap, codice postale
    """,
    Meaning("a place", Role.QUASI_IDENTIFIER): """
        city, town, village, municipality, county, district, borough, ward, beat, block, neighborhood,
        neighbourhood, community, region, state, province, territory, location, locality, place, residence,
        street, road, building, cabin, tract, puma, fips, msa, msamd, metro, metropolitan, urban, rural,
        urbrur, area, lat, latitude, lon, lng, longitude, gps, coordinate, geo, geolocation, pickup,
        dropoff, birthplace, stadt, ort, wohnort, geburtsort, gemeinde, kreis, landkreis, bundesland,
        bezirk, strasse, ville, commune, departement, rue, quartier, lieu, ciudad, municipio, provincia,
        calle, barrio, citta, comune, regione, pays, st
    """,
    Meaning("a country, an origin or a language", Role.QUASI_IDENTIFIER): """
        country, nation, nationality, citizenship, citizen status, origin, immigrant, immigration, foreign
        worker, foreigner, migrant, race, ethnicity, ethnic, etni, ethnie, hispanic, latino, caste, tribe,
        language, mother tongue, land, nationalitat, staatsangehorigkeit, staatsburgerschaft, herkunft,
        muttersprache, nationalite, langue, pais, nacionalidad, raza, etnia, idioma, paese, nazionalita,
        cittadinanza, lingua, racp, hisp, dmdborn, pobp, cit, ridreth
    """,
    Meaning("family or household", Role.QUASI_IDENTIFIER): """
        marital, marstat, married, civil status, hhcivil, family status, personal status, relationship,
        relation, relat, spouse, partner, children, kids, dependents, dependants, household size, hh size,
        family size, famsize, siblings, sibsp, parch, pstatus, guardian, household type, housing, home
        ownership, familienstand, personenstand, kinder, haushaltsgrosse, etat civil, situation familiale,
        situation matrimoniale, enfants, estado civil, hijos, stato civile, figli, mar, dmdmartl
    """,
    Meaning("work or education", Role.QUASI_IDENTIFIER): """
        occupation, job, profession, position, employer, employment, workclass, industry, sector, company,
        organization, organisation, department, dept, division, team, manager, hire date, date of hire,
        education, educ, degree, qualification, school, university, college, major, grade level, title,
        honorific, military, veteran, mjob, fjob, medu, fedu, beruf, tatigkeit, arbeitgeber, bildung,
        schulabschluss, abteilung, schule, metier, emploi, employeur, formation, diplome, ecole, ocupacion,
        profesion, puesto, empresa, educacion, estudios, professione, occupazione, istruzione, azienda,
        prefix, salutation, emp length, poste, classe, schl, dmdeduc, occp, indp, cow
    """,
    Meaning("physical appearance", Role.QUASI_IDENTIFIER): """
        height, stature, eye color, eye colour, hair color, hair colour, skin color, skin colour,
        complexion, build, grosse, korpergrosse, augenfarbe, taille, altura, altezza
    """,
    Meaning("a date", Role.QUASI_IDENTIFIER): """
        date, datetime, timestamp, month, year, admittime, dischtime, datum, jahr, monat, aufnahmedatum,
        entlassungsdatum, mois, annee, fecha, mes, ano, mese, anno
    """,
}

_OF_SOMETHING = Meaning("the name of someone or something", Role.IDENTIFIER, vague=True)


def _known() -> dict[str, Meaning]:
    """Each run of words, written together, with what it says; a word's first meaning stands."""
    known = {run: meaning for meaning, runs in reversed(_WORDS.items()) for run in runs_listed(runs)}
    for person, word in product(_PEOPLE, [*_NUMBERS, *_NAMES]):
        meaning = known["name" if word in _NAMES else "pid"]
        known |= {person + word: meaning, word + person: meaning}
    for person, word in product(_NAMED, _NAMES):
        known |= {person + word: PERSON, word + person: PERSON}
    return dict.fromkeys(_PEOPLE, known["pid"]) | known


_KNOWN = _known()
